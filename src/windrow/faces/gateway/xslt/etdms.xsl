<?xml version="1.0" encoding="UTF-8"?>
<!-- Theses (ETD-MS and its kin): Dublin Core, with the role of each person and what the degree was. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:w="urn:windrow"
    exclude-result-prefixes="w">
<xsl:import href="windrow:oai_dc.xsl"/>

<xsl:template match="*[local-name() = 'contributor' and not(*)]" mode="value">
  <xsl:call-template name="words"/>
  <xsl:if test="normalize-space(@role)"><xsl:text> (</xsl:text><xsl:value-of select="@role"/><xsl:text>)</xsl:text></xsl:if>
  <xsl:call-template name="marks"><xsl:with-param name="without" select="'role'"/></xsl:call-template>
</xsl:template>

<xsl:template match="*[local-name() = 'degree']" mode="name"><w:say>Degree</w:say></xsl:template>
<xsl:template match="*[local-name() = 'degree']/*[local-name() = 'name']" mode="name"><w:say>Name</w:say></xsl:template>
<xsl:template match="*[local-name() = 'level']" mode="name"><w:say>Level</w:say></xsl:template>
<xsl:template match="*[local-name() = 'discipline']" mode="name"><w:say>Discipline</w:say></xsl:template>
<xsl:template match="*[local-name() = 'department']" mode="name"><w:say>Department</w:say></xsl:template>
<xsl:template match="*[local-name() = 'grantor' or local-name() = 'institution']" mode="name"><w:say>Institution</w:say></xsl:template>
<xsl:template match="*[local-name() = 'advisor']" mode="name"><w:say>Supervisor</w:say></xsl:template>

</xsl:stylesheet>
