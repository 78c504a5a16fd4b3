<?xml version="1.0" encoding="UTF-8"?>
<!-- kk, of Finnish DSpace repositories: fields that are named by attributes, and files. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:w="urn:windrow"
    exclude-result-prefixes="w">
<xsl:import href="windrow:default.xsl"/>

<!-- Which element it is, is asked inside: a condition in the pattern has libxslt count all elements before this one,
     once for each. -->
<xsl:template match="/*" mode="rows">
  <xsl:if test="not(*)"><xsl:apply-imports/></xsl:if>
  <xsl:apply-templates select="*[local-name() = 'field'][@element = 'title']" mode="row"/>
  <xsl:apply-templates select="*[local-name() = 'field'][@element = 'contributor']" mode="row"/>
  <xsl:apply-templates select="*[local-name() = 'field'][@element = 'description']" mode="row"/>
  <xsl:apply-templates select="*[local-name() = 'field'][not(@element = 'title' or @element = 'contributor' or @element = 'description')]" mode="row"/>
  <xsl:apply-templates select="*[local-name() = 'file']" mode="row"/>
  <xsl:apply-templates select="*[local-name() != 'field' and local-name() != 'file']" mode="row"/>
</xsl:template>

<xsl:template match="*" mode="row">
  <xsl:choose>
    <xsl:when test="local-name() = 'field'"><xsl:call-template name="field-row"/></xsl:when>
    <xsl:otherwise><xsl:apply-imports/></xsl:otherwise>
  </xsl:choose>
</xsl:template>

<xsl:template match="*" mode="name">
  <xsl:choose>
    <xsl:when test="local-name() = 'field'"><xsl:call-template name="field-name"/></xsl:when>
    <xsl:otherwise><xsl:apply-imports/></xsl:otherwise>
  </xsl:choose>
</xsl:template>

<xsl:template match="*" mode="value">
  <xsl:variable name="name" select="local-name()"/>
  <xsl:choose>
    <xsl:when test="$name = 'file'"><xsl:call-template name="file-value"/></xsl:when>
    <xsl:when test="$name = 'link' and @href"><xsl:call-template name="link-value"/></xsl:when>
    <xsl:when test="$name = 'identifier' or $name = 'type'"><xsl:call-template name="word-value"/></xsl:when>
    <xsl:otherwise><xsl:apply-imports/></xsl:otherwise>
  </xsl:choose>
</xsl:template>

<xsl:template name="field-row">
  <xsl:if test="normalize-space(@value) or normalize-space(.)">
    <xsl:variable name="before" select="preceding-sibling::*[1]"/>
    <xsl:if test="not($before) or string($before/@element) != string(@element) or string($before/@qualifier) != string(@qualifier) or string($before/@schema) != string(@schema) or not(normalize-space($before/@value))">
      <dt><xsl:apply-templates select="." mode="name"/></dt>
    </xsl:if>
    <dd>
      <xsl:call-template name="lang"><xsl:with-param name="code" select="@language"/></xsl:call-template>
      <xsl:call-template name="words"><xsl:with-param name="text" select="@value"/></xsl:call-template>
      <xsl:if test="normalize-space(.)"><xsl:text> </xsl:text><xsl:call-template name="words"/></xsl:if>
    </dd>
  </xsl:if>
</xsl:template>

<!-- A qualifier that has a name of its own says it all: an author is nobody's "other people". -->
<xsl:template name="field-name">
  <xsl:variable name="own"><xsl:call-template name="qualified"/></xsl:variable>
  <xsl:choose>
    <xsl:when test="string($own)"><xsl:value-of select="$own"/></xsl:when>
    <xsl:otherwise>
      <xsl:call-template name="called"><xsl:with-param name="name" select="@element"/></xsl:call-template>
      <xsl:if test="@qualifier">
        <xsl:text> </xsl:text><small class="quiet"><xsl:value-of select="@qualifier"/></small>
      </xsl:if>
    </xsl:otherwise>
  </xsl:choose>
  <xsl:if test="@schema and @schema != 'dc'">
    <xsl:text> </xsl:text><small class="quiet"><xsl:value-of select="@schema"/></small>
  </xsl:if>
</xsl:template>

<xsl:template name="qualified">
  <xsl:variable name="pair" select="concat(@element, '.', @qualifier)"/>
  <xsl:choose>
    <xsl:when test="$pair = 'contributor.author'"><w:say>Author</w:say></xsl:when>
    <xsl:when test="$pair = 'contributor.advisor'"><w:say>Supervisor</w:say></xsl:when>
    <xsl:when test="$pair = 'contributor.department'"><w:say>Department</w:say></xsl:when>
    <xsl:when test="$pair = 'contributor.organization'"><w:say>Institution</w:say></xsl:when>
    <xsl:when test="$pair = 'title.alternative'"><w:say>Other title</w:say></xsl:when>
    <xsl:when test="$pair = 'description.abstract'"><w:say>Abstract</w:say></xsl:when>
    <xsl:when test="$pair = 'description.tableofcontents'"><w:say>Contents</w:say></xsl:when>
    <xsl:when test="$pair = 'date.issued'"><w:say>Published</w:say></xsl:when>
    <xsl:when test="$pair = 'date.created'"><w:say>Made</w:say></xsl:when>
    <xsl:when test="$pair = 'date.available'"><w:say>Available</w:say></xsl:when>
    <xsl:when test="$pair = 'format.extent'"><w:say>Extent</w:say></xsl:when>
    <xsl:when test="$pair = 'relation.ispartof'"><w:say>Part of</w:say></xsl:when>
    <xsl:when test="$pair = 'relation.ispartofseries'"><w:say>Series</w:say></xsl:when>
    <xsl:when test="$pair = 'rights.license'"><w:say>Licence</w:say></xsl:when>
    <xsl:when test="$pair = 'coverage.spatial'"><w:say>Place</w:say></xsl:when>
    <xsl:when test="$pair = 'coverage.temporal'"><w:say>Time</w:say></xsl:when>
  </xsl:choose>
</xsl:template>

<xsl:template name="file-value">
  <xsl:call-template name="linked">
    <xsl:with-param name="to" select="@href"/><xsl:with-param name="text" select="@name"/>
  </xsl:call-template>
  <xsl:for-each select="@*[local-name() != 'href' and local-name() != 'name']">
    <xsl:text> </xsl:text><small class="quiet"><xsl:value-of select="."/></small>
  </xsl:for-each>
  <xsl:if test="normalize-space(.)"><xsl:text> </xsl:text><xsl:call-template name="words"/></xsl:if>
</xsl:template>

<xsl:template name="link-value">
  <xsl:call-template name="words"><xsl:with-param name="text" select="@href"/></xsl:call-template>
  <xsl:if test="normalize-space(.)"><xsl:text> </xsl:text><xsl:call-template name="words"/></xsl:if>
</xsl:template>

<xsl:template name="word-value">
  <xsl:for-each select="@value | @name"><xsl:call-template name="words"/><xsl:text> </xsl:text></xsl:for-each>
  <xsl:if test="normalize-space(.)"><xsl:call-template name="words"/><xsl:text> </xsl:text></xsl:if>
  <xsl:if test="@type"><small class="quiet"><xsl:value-of select="@type"/></small></xsl:if>
</xsl:template>

<xsl:template name="linked">
  <xsl:param name="to"/>
  <xsl:param name="text"/>
  <xsl:choose>
    <xsl:when test="normalize-space($text)"><a href="{normalize-space($to)}"><bdi><xsl:value-of select="$text"/></bdi></a></xsl:when>
    <xsl:otherwise><xsl:call-template name="words"><xsl:with-param name="text" select="$to"/></xsl:call-template></xsl:otherwise>
  </xsl:choose>
</xsl:template>

</xsl:stylesheet>
