<?xml version="1.0" encoding="UTF-8"?>
<!-- Dublin Core: its elements in the order in which a person asks for them, then whatever else came. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" exclude-result-prefixes="oai_dc">
<xsl:import href="windrow:default.xsl"/>

<!-- Whether there is anything in it is asked inside: a condition in the pattern has libxslt count all elements before
     this one, once for each. -->
<xsl:template match="/* | oai_dc:dc" mode="rows">
  <xsl:choose>
    <xsl:when test="*"><xsl:call-template name="elements"/></xsl:when>
    <xsl:otherwise><xsl:apply-imports/></xsl:otherwise>
  </xsl:choose>
</xsl:template>

<xsl:template name="elements">
  <xsl:call-template name="own-words"/>
  <xsl:call-template name="run"><xsl:with-param name="nodes" select="*[local-name() = 'title']"/></xsl:call-template>
  <xsl:call-template name="run"><xsl:with-param name="nodes" select="*[local-name() = 'alternative']"/></xsl:call-template>
  <xsl:call-template name="run"><xsl:with-param name="nodes" select="*[local-name() = 'creator']"/></xsl:call-template>
  <xsl:call-template name="run"><xsl:with-param name="nodes" select="*[local-name() = 'contributor']"/></xsl:call-template>
  <xsl:call-template name="run"><xsl:with-param name="nodes" select="*[local-name() = 'abstract']"/></xsl:call-template>
  <xsl:call-template name="run"><xsl:with-param name="nodes" select="*[local-name() = 'description']"/></xsl:call-template>
  <xsl:call-template name="run"><xsl:with-param name="nodes" select="*[local-name() = 'subject']"/></xsl:call-template>
  <xsl:call-template name="run"><xsl:with-param name="nodes" select="*[local-name() = 'date']"/></xsl:call-template>
  <xsl:call-template name="run"><xsl:with-param name="nodes" select="*[local-name() = 'type']"/></xsl:call-template>
  <xsl:call-template name="run"><xsl:with-param name="nodes" select="*[local-name() = 'language']"/></xsl:call-template>
  <xsl:call-template name="run"><xsl:with-param name="nodes" select="*[local-name() = 'publisher']"/></xsl:call-template>
  <xsl:call-template name="run"><xsl:with-param name="nodes" select="*[local-name() = 'source']"/></xsl:call-template>
  <xsl:call-template name="run"><xsl:with-param name="nodes" select="*[local-name() = 'identifier']"/></xsl:call-template>
  <xsl:call-template name="run"><xsl:with-param name="nodes" select="*[local-name() = 'relation']"/></xsl:call-template>
  <xsl:apply-templates select="*[not(contains('|title|alternative|creator|contributor|abstract|description|subject|date|type|language|publisher|source|identifier|relation|', concat('|', local-name(), '|')))]" mode="row"/>
  <xsl:call-template name="attributes"/>
</xsl:template>

<!-- What has the same name, under that name, wherever it stood. -->
<xsl:template name="run">
  <xsl:param name="nodes"/>
  <xsl:variable name="telling" select="$nodes[normalize-space() or *//@* or @*[namespace-uri() = '']]"/>
  <xsl:if test="$telling">
    <dt><xsl:apply-templates select="$telling[1]" mode="name"/></dt>
    <xsl:for-each select="$telling">
      <dd><xsl:call-template name="lang"/><xsl:apply-templates select="." mode="value"/></dd>
    </xsl:for-each>
  </xsl:if>
</xsl:template>

</xsl:stylesheet>
