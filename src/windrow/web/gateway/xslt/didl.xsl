<?xml version="1.0" encoding="UTF-8"?>
<!-- MPEG-21 DIDL: items inside items, each with what is said of it, its files, and descriptions in their own manner. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:w="urn:windrow"
    xmlns:d="urn:mpeg:mpeg21:2002:02-DIDL-NS" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    exclude-result-prefixes="w d rdf">
<xsl:import href="windrow:marcxml.xsl"/>

<xsl:template match="d:DIDL | d:Container" mode="whole">
  <xsl:if test="@*[namespace-uri() = ''] or text()[normalize-space()]">
    <dl class="payload"><xsl:call-template name="attributes"/><xsl:call-template name="own-words"/></dl>
  </xsl:if>
  <xsl:apply-templates select="*" mode="whole"/>
</xsl:template>

<xsl:template match="d:Item" mode="whole">
  <section>
    <h2><xsl:apply-templates select="." mode="kind"/></h2>
    <xsl:if test="d:Descriptor or d:Component/d:Descriptor or @* or text()[normalize-space()]">
      <dl class="payload">
        <xsl:call-template name="attributes"/>
        <xsl:call-template name="own-words"/>
        <xsl:apply-templates select="(d:Descriptor | d:Component/d:Descriptor)/*" mode="said"/>
      </dl>
    </xsl:if>
    <xsl:apply-templates select="d:Component/*[not(self::d:Descriptor)]" mode="whole"/>
    <xsl:apply-templates select="*[not(self::d:Descriptor or self::d:Component)]" mode="whole"/>
  </section>
</xsl:template>

<!-- What an item says that it is: the description, a file, the page for people. -->
<xsl:template match="d:Item" mode="kind">
  <xsl:variable name="type" select="string(d:Descriptor/d:Statement/rdf:type/@rdf:resource | d:Descriptor/d:Statement/*[local-name() = 'ObjectType'])"/>
  <xsl:choose>
    <xsl:when test="contains($type, 'descriptiveMetadata')"><w:say>Description</w:say></xsl:when>
    <xsl:when test="contains($type, 'objectFile')"><w:say>File</w:say></xsl:when>
    <xsl:when test="contains($type, 'humanStartPage')"><w:say>Page for people</w:say></xsl:when>
    <xsl:otherwise><w:say>Item</w:say></xsl:otherwise>
  </xsl:choose>
</xsl:template>

<xsl:template match="d:Statement" mode="said">
  <xsl:choose>
    <xsl:when test="*">
      <xsl:call-template name="own-words"/>
      <xsl:apply-templates select="*" mode="row"/>
    </xsl:when>
    <xsl:when test="normalize-space()">
      <dt><w:say>Note</w:say></dt>
      <dd><xsl:call-template name="words"/></dd>
    </xsl:when>
  </xsl:choose>
</xsl:template>
<xsl:template match="*" mode="said"><xsl:apply-templates select="." mode="row"/></xsl:template>

<xsl:template match="rdf:type[@rdf:resource]" mode="value">
  <xsl:call-template name="words"><xsl:with-param name="text" select="string(@rdf:resource)"/></xsl:call-template>
  <xsl:if test="normalize-space()"><xsl:text> </xsl:text><xsl:call-template name="words"/></xsl:if>
</xsl:template>

<xsl:template match="d:Resource" mode="whole">
  <xsl:if test="@ref">
    <p><xsl:call-template name="words"><xsl:with-param name="text" select="string(@ref)"/></xsl:call-template>
    <xsl:text> </xsl:text><small class="quiet"><xsl:value-of select="@mimeType"/></small></p>
  </xsl:if>
  <xsl:choose>
    <xsl:when test="*"><xsl:apply-templates select="*" mode="whole"/></xsl:when>
    <!-- A whole file as letters: it is in the XML, and is no reading matter. -->
    <xsl:when test="@encoding = 'base64'">
      <p class="quiet"><w:say>The file itself is in the XML.</w:say><xsl:text> </xsl:text><xsl:value-of select="@mimeType"/></p>
    </xsl:when>
    <xsl:when test="normalize-space()"><p><xsl:call-template name="words"/></p></xsl:when>
  </xsl:choose>
</xsl:template>

</xsl:stylesheet>
