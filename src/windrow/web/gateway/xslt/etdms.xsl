<?xml version="1.0" encoding="UTF-8"?>
<!-- Theses (ETD-MS and its kin): Dublin Core, with the role of each person and what the degree was. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:w="urn:windrow"
    exclude-result-prefixes="w">
<xsl:import href="windrow:oai_dc.xsl"/>

<!-- Which element it is, is asked inside: a condition in the pattern has libxslt count all elements before this one,
     once for each. -->
<xsl:template match="*" mode="value">
  <xsl:choose>
    <xsl:when test="local-name() = 'contributor' and not(*)">
      <xsl:call-template name="words"/>
      <xsl:if test="normalize-space(@role)"><xsl:text> (</xsl:text><xsl:value-of select="@role"/><xsl:text>)</xsl:text></xsl:if>
      <xsl:call-template name="marks"><xsl:with-param name="without" select="'role'"/></xsl:call-template>
    </xsl:when>
    <xsl:otherwise><xsl:apply-imports/></xsl:otherwise>
  </xsl:choose>
</xsl:template>

<xsl:template match="*" mode="name">
  <xsl:variable name="name" select="local-name()"/>
  <xsl:choose>
    <xsl:when test="$name = 'degree'"><w:say>Degree</w:say></xsl:when>
    <xsl:when test="$name = 'name' and local-name(..) = 'degree'"><w:say>Name</w:say></xsl:when>
    <xsl:when test="$name = 'level'"><w:say>Level</w:say></xsl:when>
    <xsl:when test="$name = 'discipline'"><w:say>Discipline</w:say></xsl:when>
    <xsl:when test="$name = 'department'"><w:say>Department</w:say></xsl:when>
    <xsl:when test="$name = 'grantor' or $name = 'institution'"><w:say>Institution</w:say></xsl:when>
    <xsl:when test="$name = 'advisor'"><w:say>Supervisor</w:say></xsl:when>
    <xsl:otherwise><xsl:apply-imports/></xsl:otherwise>
  </xsl:choose>
</xsl:template>

</xsl:stylesheet>
