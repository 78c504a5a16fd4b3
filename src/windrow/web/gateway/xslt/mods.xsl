<?xml version="1.0" encoding="UTF-8"?>
<!-- MODS: titles and names put together as they are said, subjects in a line, everything else in lists. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:w="urn:windrow"
    xmlns:m="http://www.loc.gov/mods/v3" exclude-result-prefixes="w m">
<xsl:import href="windrow:default.xsl"/>

<xsl:template match="m:modsCollection" mode="whole"><xsl:apply-templates select="*" mode="whole"/></xsl:template>

<xsl:template match="m:mods" mode="rows">
  <xsl:call-template name="own-words"/>
  <xsl:apply-templates select="m:titleInfo" mode="row"/>
  <xsl:apply-templates select="m:name" mode="row"/>
  <xsl:apply-templates select="m:abstract" mode="row"/>
  <xsl:apply-templates select="m:originInfo" mode="row"/>
  <xsl:apply-templates select="m:subject" mode="row"/>
  <xsl:apply-templates select="*[not(self::m:titleInfo or self::m:name or self::m:abstract or self::m:originInfo or self::m:subject or self::m:recordInfo)]" mode="row"/>
  <xsl:apply-templates select="m:recordInfo" mode="row"/>
  <xsl:call-template name="attributes"/>
</xsl:template>

<xsl:template match="m:titleInfo[not(text()[normalize-space()])]" mode="value">
  <bdi>
    <xsl:for-each select="m:nonSort | m:title">
      <xsl:if test="position() &gt; 1"><xsl:text> </xsl:text></xsl:if><xsl:value-of select="."/>
    </xsl:for-each>
    <xsl:for-each select="m:subTitle"><xsl:text>: </xsl:text><xsl:value-of select="."/></xsl:for-each>
    <xsl:for-each select="m:partNumber | m:partName"><xsl:text>. </xsl:text><xsl:value-of select="."/></xsl:for-each>
  </bdi>
  <xsl:call-template name="marks"/>
  <xsl:call-template name="others">
    <xsl:with-param name="nodes" select="*[not(self::m:nonSort or self::m:title or self::m:subTitle or self::m:partNumber or self::m:partName)]"/>
  </xsl:call-template>
</xsl:template>

<xsl:template match="m:name[not(text()[normalize-space()])]" mode="value">
  <bdi>
    <xsl:for-each select="m:namePart[@type = 'family']"><xsl:if test="position() &gt; 1"><xsl:text> </xsl:text></xsl:if><xsl:value-of select="."/></xsl:for-each>
    <xsl:if test="m:namePart[@type = 'family'] and m:namePart[@type = 'given']"><xsl:text>, </xsl:text></xsl:if>
    <xsl:for-each select="m:namePart[@type = 'given']"><xsl:if test="position() &gt; 1"><xsl:text> </xsl:text></xsl:if><xsl:value-of select="."/></xsl:for-each>
    <xsl:for-each select="m:namePart[not(@type = 'family' or @type = 'given')]">
      <xsl:if test="position() &gt; 1 or ../m:namePart[@type = 'family' or @type = 'given']"><xsl:text>, </xsl:text></xsl:if>
      <xsl:value-of select="."/>
    </xsl:for-each>
  </bdi>
  <xsl:if test="m:role[normalize-space()]">
    <xsl:text> (</xsl:text>
    <xsl:for-each select="m:role//*[not(*)][normalize-space()] | m:role[not(*)][normalize-space()]">
      <xsl:if test="position() &gt; 1"><xsl:text>, </xsl:text></xsl:if>
      <xsl:call-template name="words"/>
    </xsl:for-each>
    <xsl:text>)</xsl:text>
  </xsl:if>
  <xsl:call-template name="marks"/>
  <xsl:call-template name="others"><xsl:with-param name="nodes" select="*[not(self::m:namePart or self::m:role)]"/></xsl:call-template>
</xsl:template>

<!-- A heading of several terms is read as one. -->
<xsl:template match="m:subject[*][not(text()[normalize-space()])]" mode="value">
  <xsl:for-each select=".//*[not(*)][normalize-space()]">
    <xsl:if test="position() &gt; 1"><xsl:text> — </xsl:text></xsl:if>
    <xsl:call-template name="words"/>
  </xsl:for-each>
  <xsl:call-template name="marks"/>
</xsl:template>

<!-- Elements that only wrap a term or two. -->
<xsl:template match="m:language[*][not(*/* or text()[normalize-space()])] | m:place[*][not(*/* or text()[normalize-space()])]" mode="value">
  <xsl:for-each select="*">
    <xsl:if test="position() &gt; 1"><xsl:text>, </xsl:text></xsl:if>
    <xsl:apply-templates select="." mode="value"/>
  </xsl:for-each>
  <xsl:call-template name="marks"/>
</xsl:template>

<!-- Its kind is what it is called. -->
<xsl:template match="m:relatedItem[@type = 'host' or @type = 'series']" mode="rows">
  <xsl:call-template name="attributes"><xsl:with-param name="without" select="'type'"/></xsl:call-template>
  <xsl:call-template name="own-words"/>
  <xsl:apply-templates select="*" mode="row"/>
</xsl:template>

<xsl:template name="others">
  <xsl:param name="nodes"/>
  <xsl:if test="$nodes[normalize-space() or descendant-or-self::*/@*]">
    <dl class="payload"><xsl:apply-templates select="$nodes" mode="row"/></dl>
  </xsl:if>
</xsl:template>

<xsl:template match="m:titleInfo" mode="name"><w:say>Title</w:say></xsl:template>
<xsl:template match="m:name" mode="name"><w:say>Name</w:say></xsl:template>
<xsl:template match="m:originInfo" mode="name"><w:say>Publication</w:say></xsl:template>
<xsl:template match="m:dateIssued" mode="name"><w:say>Published</w:say></xsl:template>
<xsl:template match="m:dateCreated" mode="name"><w:say>Made</w:say></xsl:template>
<xsl:template match="m:place" mode="name"><w:say>Place</w:say></xsl:template>
<xsl:template match="m:edition" mode="name"><w:say>Edition</w:say></xsl:template>
<xsl:template match="m:typeOfResource | m:genre" mode="name"><w:say>Type</w:say></xsl:template>
<xsl:template match="m:physicalDescription" mode="name"><w:say>Extent</w:say></xsl:template>
<xsl:template match="m:accessCondition" mode="name"><w:say>Rights</w:say></xsl:template>
<xsl:template match="m:location" mode="name"><w:say>Where it is</w:say></xsl:template>
<xsl:template match="m:url" mode="name"><w:say>Address</w:say></xsl:template>
<xsl:template match="m:affiliation" mode="name"><w:say>Institution</w:say></xsl:template>
<xsl:template match="m:relatedItem[@type = 'host']" mode="name"><w:say>Part of</w:say></xsl:template>
<xsl:template match="m:relatedItem[@type = 'series']" mode="name"><w:say>Series</w:say></xsl:template>
<xsl:template match="m:relatedItem" mode="name" priority="-0.1"><w:say>Related</w:say></xsl:template>
<xsl:template match="m:recordInfo" mode="name"><w:say>About this description</w:say></xsl:template>

</xsl:stylesheet>
