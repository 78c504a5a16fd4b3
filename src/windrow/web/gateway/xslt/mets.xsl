<?xml version="1.0" encoding="UTF-8"?>
<!-- METS: the descriptions in it each in the manner of its own format, then files as links, then the structure. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:w="urn:windrow"
    xmlns:mets="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink"
    exclude-result-prefixes="w mets xlink">
<xsl:import href="windrow:marcxml.xsl"/>

<xsl:template match="mets:mets | mets:METS" mode="whole">
  <xsl:if test="@*[namespace-uri() = ''] or text()[normalize-space()]">
    <dl class="payload"><xsl:call-template name="attributes"/><xsl:call-template name="own-words"/></dl>
  </xsl:if>
  <xsl:apply-templates select="mets:dmdSec" mode="part"/>
  <xsl:apply-templates select="mets:fileSec" mode="part"/>
  <xsl:apply-templates select="*[not(self::mets:dmdSec or self::mets:fileSec or self::mets:metsHdr or self::mets:structLink)]" mode="part"/>
  <xsl:apply-templates select="mets:metsHdr" mode="part"/>
  <xsl:apply-templates select="mets:structLink[normalize-space()]" mode="part"/>
</xsl:template>

<xsl:template match="*" mode="part">
  <section>
    <h2><xsl:apply-templates select="." mode="name"/><xsl:if test="normalize-space(@TYPE)"><xsl:text> </xsl:text><small class="quiet"><xsl:value-of select="@TYPE"/></small></xsl:if></h2>
    <xsl:apply-templates select="." mode="body"/>
  </section>
</xsl:template>

<xsl:template match="*" mode="body">
  <xsl:if test="* or normalize-space() or @*"><dl class="payload"><xsl:apply-templates select="." mode="rows"/></dl></xsl:if>
</xsl:template>

<xsl:template match="mets:dmdSec" mode="body">
  <xsl:for-each select=".//mets:xmlData/*"><xsl:apply-templates select="." mode="whole"/></xsl:for-each>
  <xsl:for-each select=".//mets:mdRef[@xlink:href] | .//mets:xmlData[not(*)][normalize-space()] | .//mets:binData">
    <p><xsl:call-template name="words"><xsl:with-param name="text" select="concat(@xlink:href, .)"/></xsl:call-template></p>
  </xsl:for-each>
</xsl:template>

<!-- What wraps another format says nothing itself. -->
<xsl:template match="mets:mdWrap | mets:xmlData" mode="rows"><xsl:call-template name="own-words"/><xsl:apply-templates select="*" mode="row"/></xsl:template>

<xsl:template match="mets:fileSec | mets:fileGrp" mode="body">
  <xsl:call-template name="files"/>
</xsl:template>

<xsl:template name="files">
  <xsl:if test="mets:file">
    <ul>
      <xsl:for-each select="mets:file">
        <li>
          <xsl:for-each select="mets:FLocat">
            <xsl:call-template name="words"><xsl:with-param name="text" select="string(@xlink:href)"/></xsl:call-template><xsl:text> </xsl:text>
            <xsl:if test="normalize-space(@xlink:title)"><bdi><xsl:value-of select="@xlink:title"/></bdi><xsl:text> </xsl:text></xsl:if>
          </xsl:for-each>
          <small class="quiet"><xsl:value-of select="@MIMETYPE"/><xsl:if test="@SIZE"><xsl:text> </xsl:text><xsl:value-of select="@SIZE"/></xsl:if></small>
          <xsl:if test="normalize-space()"><xsl:text> </xsl:text><bdi><xsl:value-of select="."/></bdi></xsl:if>
        </li>
      </xsl:for-each>
    </ul>
  </xsl:if>
  <xsl:for-each select="mets:fileGrp">
    <h3><xsl:value-of select="@USE"/><xsl:if test="not(@USE)"><w:say>Files</w:say></xsl:if></h3>
    <xsl:call-template name="files"/>
  </xsl:for-each>
  <xsl:for-each select="*[not(self::mets:file or self::mets:fileGrp)]"><p><xsl:apply-templates select="." mode="value"/></p></xsl:for-each>
</xsl:template>

<xsl:template match="mets:structMap" mode="body"><xsl:call-template name="divisions"/></xsl:template>

<xsl:template name="divisions">
  <xsl:if test="mets:div">
    <ul>
      <xsl:for-each select="mets:div">
        <li>
          <bdi><xsl:value-of select="@LABEL"/></bdi>
          <xsl:if test="@ORDERLABEL"><xsl:text> </xsl:text><bdi><xsl:value-of select="@ORDERLABEL"/></bdi></xsl:if>
          <xsl:text> </xsl:text><small class="quiet"><xsl:value-of select="@TYPE"/></small>
          <xsl:for-each select="*[not(self::mets:div)]/descendant-or-self::*[text()[normalize-space()]]"><xsl:text> </xsl:text><bdi><xsl:value-of select="text()"/></bdi></xsl:for-each>
          <xsl:call-template name="divisions"/>
        </li>
      </xsl:for-each>
    </ul>
  </xsl:if>
</xsl:template>

<xsl:template match="mets:dmdSec" mode="name"><w:say>Description</w:say></xsl:template>
<xsl:template match="mets:amdSec" mode="name"><w:say>Administration</w:say></xsl:template>
<xsl:template match="mets:fileSec" mode="name"><w:say>Files</w:say></xsl:template>
<xsl:template match="mets:structMap" mode="name"><w:say>Structure</w:say></xsl:template>
<xsl:template match="mets:metsHdr" mode="name"><w:say>About this description</w:say></xsl:template>
<xsl:template match="mets:agent" mode="name"><w:say>Name</w:say></xsl:template>

</xsl:stylesheet>
