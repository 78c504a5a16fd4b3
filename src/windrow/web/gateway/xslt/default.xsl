<?xml version="1.0" encoding="UTF-8"?>
<!-- Any XML, readable: what has no stylesheet of its own is shown by this one, and the others build on it.

     An element becomes a name with what it says; elements inside elements become lists inside lists. To show
     something else, a stylesheet that imports this one has a template of mode "name" (what stands on the left),
     "value" (on the right) or "rows" (which come, and in which order). A w:say is replaced by its words in the
     language of the pages before the stylesheet is compiled. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:w="urn:windrow"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xlink="http://www.w3.org/1999/xlink"
    exclude-result-prefixes="w xsi xlink">

<xsl:param name="language"/>
<xsl:param name="format"/>
<xsl:param name="identifier"/>

<xsl:template match="/">
  <xsl:apply-templates select="*" mode="whole"/>
</xsl:template>

<xsl:template match="*" mode="whole">
  <xsl:choose>
    <xsl:when test="* or @*"><dl class="payload"><xsl:apply-templates select="." mode="rows"/></dl></xsl:when>
    <xsl:otherwise><p><xsl:apply-templates select="." mode="value"/></p></xsl:otherwise>
  </xsl:choose>
</xsl:template>

<!-- What an element holds, one row each: attributes, its own words, the elements in it. -->
<xsl:template match="*" mode="rows">
  <xsl:call-template name="attributes"/>
  <xsl:call-template name="own-words"/>
  <xsl:apply-templates select="*" mode="row"/>
</xsl:template>

<!-- Words that stand beside elements are shown with them, as a whole: then they are a text with marks in it. -->
<xsl:template name="own-words">
  <xsl:if test="text()[normalize-space()]">
    <dt><xsl:apply-templates select="." mode="name"/></dt>
    <dd><xsl:call-template name="lang"/><bdi><xsl:value-of select="."/></bdi></dd>
  </xsl:if>
</xsl:template>

<!-- The name is said once for neighbours of the same name. -->
<xsl:template match="*" mode="row">
  <xsl:if test="normalize-space(.) or descendant-or-self::*/@*[namespace-uri() != 'http://www.w3.org/2001/XMLSchema-instance' and normalize-space() and local-name() != 'lang' and name() != 'ID']">
    <xsl:variable name="before" select="preceding-sibling::*[1]"/>
    <xsl:if test="not($before) or name($before) != name() or not(normalize-space($before) or $before//@*)">
      <dt><xsl:apply-templates select="." mode="name"/></dt>
    </xsl:if>
    <dd><xsl:call-template name="lang"/><xsl:apply-templates select="." mode="value"/></dd>
  </xsl:if>
</xsl:template>

<xsl:template match="*" mode="value">
  <xsl:choose>
    <xsl:when test="* and not(text()[normalize-space()])">
      <dl class="payload"><xsl:apply-templates select="." mode="rows"/></dl>
    </xsl:when>
    <xsl:otherwise>
      <xsl:call-template name="words"/>
      <xsl:call-template name="marks"/>
    </xsl:otherwise>
  </xsl:choose>
</xsl:template>

<!-- A text; one that is an address becomes a link. -->
<xsl:template name="words">
  <xsl:param name="text" select="."/>
  <xsl:variable name="one" select="normalize-space($text)"/>
  <xsl:choose>
    <xsl:when test="(starts-with($one, 'http://') or starts-with($one, 'https://')) and not(contains($one, ' '))">
      <a href="{$one}"><bdi><xsl:value-of select="$one"/></bdi></a>
    </xsl:when>
    <xsl:when test="$one"><bdi><xsl:value-of select="$text"/></bdi></xsl:when>
  </xsl:choose>
</xsl:template>

<!-- What attributes say about a text, small, beside it. Languages are told to the browser, names of parts of the
     XML to nobody. -->
<xsl:template name="marks">
  <xsl:param name="without"/>
  <xsl:for-each select="@*[namespace-uri() != 'http://www.w3.org/2001/XMLSchema-instance' and normalize-space() and local-name() != 'lang' and name() != 'ID' and name() != $without]">
    <xsl:text> </xsl:text>
    <small class="quiet">
      <xsl:value-of select="local-name()"/><xsl:text>: </xsl:text>
      <xsl:call-template name="words"/>
    </small>
  </xsl:for-each>
</xsl:template>

<!-- The same about an element that holds others: a row each. -->
<xsl:template name="attributes">
  <xsl:param name="without"/>
  <xsl:for-each select="@*[namespace-uri() != 'http://www.w3.org/2001/XMLSchema-instance' and normalize-space() and local-name() != 'lang' and name() != 'ID' and name() != $without]">
    <dt><small class="quiet"><xsl:value-of select="local-name()"/></small></dt>
    <dd><xsl:call-template name="words"/></dd>
  </xsl:for-each>
</xsl:template>

<xsl:template name="lang">
  <xsl:param name="code" select="(@xml:lang | @lang)[1]"/>
  <xsl:if test="string-length($code) &gt; 1 and string-length($code) &lt; 12 and $code != 'none' and not(translate($code, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-', ''))">
    <xsl:attribute name="lang"><xsl:value-of select="$code"/></xsl:attribute>
  </xsl:if>
</xsl:template>

<xsl:template match="*" mode="name">
  <xsl:call-template name="called"><xsl:with-param name="name" select="local-name()"/></xsl:call-template>
</xsl:template>

<!-- What people call the things that most formats have; any other keeps the name it came with. -->
<xsl:template name="called">
  <xsl:param name="name"/>
  <xsl:choose>
    <xsl:when test="$name = 'title'"><w:say>Title</w:say></xsl:when>
    <xsl:when test="$name = 'alternative'"><w:say>Other title</w:say></xsl:when>
    <xsl:when test="$name = 'creator' or $name = 'author'"><w:say>Author</w:say></xsl:when>
    <xsl:when test="$name = 'contributor'"><w:say>Other people</w:say></xsl:when>
    <xsl:when test="$name = 'subject'"><w:say>Subject</w:say></xsl:when>
    <xsl:when test="$name = 'description'"><w:say>Description</w:say></xsl:when>
    <xsl:when test="$name = 'abstract'"><w:say>Abstract</w:say></xsl:when>
    <xsl:when test="$name = 'tableOfContents'"><w:say>Contents</w:say></xsl:when>
    <xsl:when test="$name = 'publisher'"><w:say>Publisher</w:say></xsl:when>
    <xsl:when test="$name = 'date'"><w:say>Date</w:say></xsl:when>
    <xsl:when test="$name = 'issued'"><w:say>Published</w:say></xsl:when>
    <xsl:when test="$name = 'created'"><w:say>Made</w:say></xsl:when>
    <xsl:when test="$name = 'modified'"><w:say>Last changed</w:say></xsl:when>
    <xsl:when test="$name = 'available'"><w:say>Available</w:say></xsl:when>
    <xsl:when test="$name = 'type'"><w:say>Type</w:say></xsl:when>
    <xsl:when test="$name = 'format'"><w:say>Format</w:say></xsl:when>
    <xsl:when test="$name = 'extent'"><w:say>Extent</w:say></xsl:when>
    <xsl:when test="$name = 'identifier'"><w:say>Identifier</w:say></xsl:when>
    <xsl:when test="$name = 'source'"><w:say>Source</w:say></xsl:when>
    <xsl:when test="$name = 'language'"><w:say>Language</w:say></xsl:when>
    <xsl:when test="$name = 'relation'"><w:say>Related</w:say></xsl:when>
    <xsl:when test="$name = 'isPartOf'"><w:say>Part of</w:say></xsl:when>
    <xsl:when test="$name = 'coverage'"><w:say>Place or time</w:say></xsl:when>
    <xsl:when test="$name = 'spatial'"><w:say>Place</w:say></xsl:when>
    <xsl:when test="$name = 'temporal'"><w:say>Time</w:say></xsl:when>
    <xsl:when test="$name = 'rights'"><w:say>Rights</w:say></xsl:when>
    <xsl:when test="$name = 'license'"><w:say>Licence</w:say></xsl:when>
    <xsl:when test="$name = 'note'"><w:say>Note</w:say></xsl:when>
    <xsl:when test="$name = 'file'"><w:say>File</w:say></xsl:when>
    <xsl:when test="$name = 'link'"><w:say>Address</w:say></xsl:when>
    <xsl:otherwise><xsl:value-of select="$name"/></xsl:otherwise>
  </xsl:choose>
</xsl:template>

</xsl:stylesheet>
