<?xml version="1.0" encoding="UTF-8"?>
<!-- MARC in XML: each field under its name and number, subfields with their codes. Namespaces vary, names do not. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:w="urn:windrow"
    exclude-result-prefixes="w">
<!-- By way of MODS, of which there is nothing in MARC: so METS and DIDL, which have either inside, import both in one
     line. Side by side, what the second builds on would come before all of the first. -->
<xsl:import href="windrow:mods.xsl"/>

<!-- Which element it is, is asked inside: a condition in the pattern has libxslt count all elements before this one,
     once for each. -->

<!-- A collection of several records: one list after another. -->
<xsl:template match="*" mode="whole">
  <xsl:choose>
    <xsl:when test="*[local-name() = 'record']"><xsl:apply-templates select="*" mode="whole"/></xsl:when>
    <xsl:otherwise><xsl:apply-imports/></xsl:otherwise>
  </xsl:choose>
</xsl:template>

<xsl:template match="*" mode="rows">
  <xsl:choose>
    <xsl:when test="*[local-name() = 'datafield' or local-name() = 'controlfield']">
      <xsl:call-template name="record-rows"/>
    </xsl:when>
    <xsl:otherwise><xsl:apply-imports/></xsl:otherwise>
  </xsl:choose>
</xsl:template>

<xsl:template match="*" mode="row">
  <xsl:choose>
    <xsl:when test="local-name() = 'datafield' or local-name() = 'controlfield'">
      <xsl:call-template name="field-row"/>
    </xsl:when>
    <xsl:otherwise><xsl:apply-imports/></xsl:otherwise>
  </xsl:choose>
</xsl:template>

<xsl:template match="*" mode="value">
  <xsl:variable name="name" select="local-name()"/>
  <xsl:choose>
    <xsl:when test="$name = 'datafield'"><xsl:call-template name="field-value"/></xsl:when>
    <xsl:when test="$name = 'controlfield' or $name = 'leader'"><code><xsl:value-of select="."/></code></xsl:when>
    <xsl:otherwise><xsl:apply-imports/></xsl:otherwise>
  </xsl:choose>
</xsl:template>

<xsl:template match="*" mode="name">
  <xsl:choose>
    <xsl:when test="local-name() = 'datafield' or local-name() = 'controlfield'">
      <xsl:call-template name="field"><xsl:with-param name="tag" select="string(@tag)"/></xsl:call-template>
      <xsl:text> </xsl:text>
      <small class="quiet"><xsl:value-of select="@tag"/></small>
    </xsl:when>
    <xsl:otherwise><xsl:apply-imports/></xsl:otherwise>
  </xsl:choose>
</xsl:template>

<!-- The title first; the rest in the order of the record. -->
<xsl:template name="record-rows">
  <xsl:call-template name="own-words"/>
  <xsl:apply-templates select="*[@tag = '245']" mode="row"/>
  <xsl:apply-templates select="*[local-name() = 'datafield' and @tag != '245' and not(starts-with(@tag, '0'))]" mode="row"/>
  <xsl:apply-templates select="*[local-name() = 'datafield' and (not(@tag) or starts-with(@tag, '0'))]" mode="row"/>
  <xsl:apply-templates select="*[local-name() != 'datafield' and not(@tag = '245')]" mode="row"/>
  <xsl:call-template name="attributes"/>
</xsl:template>

<xsl:template name="field-row">
  <xsl:if test="normalize-space(.)">
    <xsl:variable name="before" select="preceding-sibling::*[1]"/>
    <xsl:if test="not($before) or string($before/@tag) != string(@tag) or not(normalize-space($before))">
      <dt><xsl:apply-templates select="." mode="name"/></dt>
    </xsl:if>
    <dd><xsl:apply-templates select="." mode="value"/></dd>
  </xsl:if>
</xsl:template>

<xsl:template name="field-value">
  <xsl:for-each select="*">
    <xsl:if test="normalize-space(.)">
      <small class="quiet"><xsl:value-of select="@code"/></small>
      <xsl:text>&#160;</xsl:text>
      <xsl:call-template name="words"/>
      <xsl:text> </xsl:text>
    </xsl:if>
  </xsl:for-each>
  <xsl:if test="text()[normalize-space()]"><xsl:for-each select="text()"><xsl:value-of select="."/></xsl:for-each></xsl:if>
  <xsl:if test="normalize-space(concat(@ind1, @ind2))">
    <small class="quiet"><xsl:value-of select="concat('[', translate(@ind1, ' ', '_'), translate(@ind2, ' ', '_'), ']')"/></small>
  </xsl:if>
</xsl:template>

<xsl:template name="field">
  <xsl:param name="tag"/>
  <xsl:variable name="ten" select="substring($tag, 1, 2)"/>
  <xsl:choose>
    <xsl:when test="$tag = '245'"><w:say>Title</w:say></xsl:when>
    <xsl:when test="$ten = '10' or $ten = '11'"><w:say>Author</w:say></xsl:when>
    <xsl:when test="$ten = '70' or $ten = '71' or $tag = '720'"><w:say>Other people</w:say></xsl:when>
    <xsl:when test="$ten = '13' or $ten = '21' or $ten = '22' or $ten = '24' or $tag = '730' or $tag = '740'"><w:say>Other title</w:say></xsl:when>
    <xsl:when test="$tag = '250'"><w:say>Edition</w:say></xsl:when>
    <xsl:when test="$tag = '260' or $tag = '264'"><w:say>Publisher</w:say></xsl:when>
    <xsl:when test="$tag = '300'"><w:say>Extent</w:say></xsl:when>
    <xsl:when test="$tag = '520'"><w:say>Abstract</w:say></xsl:when>
    <xsl:when test="$tag = '505'"><w:say>Contents</w:say></xsl:when>
    <xsl:when test="$tag = '506' or $tag = '540'"><w:say>Rights</w:say></xsl:when>
    <xsl:when test="$tag = '502'"><w:say>Degree</w:say></xsl:when>
    <xsl:when test="$tag = '041' or $tag = '546'"><w:say>Language</w:say></xsl:when>
    <xsl:when test="$tag = '655'"><w:say>Type</w:say></xsl:when>
    <xsl:when test="$tag = '020' or $tag = '022' or $tag = '024' or $tag = '035' or $tag = '001'"><w:say>Identifier</w:say></xsl:when>
    <xsl:when test="$tag = '856'"><w:say>Address</w:say></xsl:when>
    <xsl:when test="$ten = '49' or $ten = '83' or $ten = '80' or $ten = '81'"><w:say>Series</w:say></xsl:when>
    <xsl:when test="$tag = '773'"><w:say>Part of</w:say></xsl:when>
    <xsl:when test="$ten = '76' or $ten = '77' or $ten = '78'"><w:say>Related</w:say></xsl:when>
    <xsl:when test="starts-with($tag, '5')"><w:say>Note</w:say></xsl:when>
    <xsl:when test="starts-with($tag, '6')"><w:say>Subject</w:say></xsl:when>
    <xsl:when test="starts-with($tag, '3')"><w:say>Format</w:say></xsl:when>
    <xsl:otherwise><w:say>Field</w:say></xsl:otherwise>
  </xsl:choose>
</xsl:template>

</xsl:stylesheet>
