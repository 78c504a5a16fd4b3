<?xml version="1.0" encoding="UTF-8"?>
<!-- kk, of Finnish DSpace repositories: fields that are named by attributes, and files. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:w="urn:windrow"
    exclude-result-prefixes="w">
<xsl:import href="windrow:default.xsl"/>

<xsl:template match="/*[*]" mode="rows">
  <xsl:apply-templates select="*[local-name() = 'field'][@element = 'title']" mode="row"/>
  <xsl:apply-templates select="*[local-name() = 'field'][@element = 'contributor']" mode="row"/>
  <xsl:apply-templates select="*[local-name() = 'field'][@element = 'description']" mode="row"/>
  <xsl:apply-templates select="*[local-name() = 'field'][not(@element = 'title' or @element = 'contributor' or @element = 'description')]" mode="row"/>
  <xsl:apply-templates select="*[local-name() = 'file']" mode="row"/>
  <xsl:apply-templates select="*[local-name() != 'field' and local-name() != 'file']" mode="row"/>
</xsl:template>

<xsl:template match="*[local-name() = 'field']" mode="row">
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

<xsl:template match="*[local-name() = 'field']" mode="name">
  <xsl:call-template name="called"><xsl:with-param name="name" select="@element"/></xsl:call-template>
  <xsl:if test="@qualifier or (@schema and @schema != 'dc')">
    <xsl:text> </xsl:text>
    <small class="quiet">
      <xsl:value-of select="@qualifier"/>
      <xsl:if test="@schema and @schema != 'dc'"><xsl:text> </xsl:text><xsl:value-of select="@schema"/></xsl:if>
    </small>
  </xsl:if>
</xsl:template>

<xsl:template match="*[local-name() = 'file']" mode="value">
  <xsl:call-template name="linked">
    <xsl:with-param name="to" select="@href"/><xsl:with-param name="text" select="@name"/>
  </xsl:call-template>
  <xsl:for-each select="@*[local-name() != 'href' and local-name() != 'name']">
    <xsl:text> </xsl:text><small class="quiet"><xsl:value-of select="."/></small>
  </xsl:for-each>
  <xsl:if test="normalize-space(.)"><xsl:text> </xsl:text><xsl:call-template name="words"/></xsl:if>
</xsl:template>

<xsl:template match="*[local-name() = 'link' and @href]" mode="value">
  <xsl:call-template name="words"><xsl:with-param name="text" select="@href"/></xsl:call-template>
  <xsl:if test="normalize-space(.)"><xsl:text> </xsl:text><xsl:call-template name="words"/></xsl:if>
</xsl:template>

<xsl:template match="*[local-name() = 'identifier' or local-name() = 'type']" mode="value">
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
