"""Media types of files by name, from our own table as on a web server, and their OAI sets.

The table is independent of the machine and of Python's version, so the same folder has the same sets
everywhere. The folder's own configuration (AddType, ForceType) takes precedence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

UNKNOWN = "application/octet-stream"
_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}")  # RFC 6838 §4.2

# Subtypes with their extensions; one alone is its own extension.
_FAMILIES: Mapping[str, str] = {
    "text": """
        html=html,htm  css  csv  plain=txt,text,log,asc,ini,conf,def,in  markdown=md,markdown  xml
        javascript=js,mjs  calendar=ics,ifb  vcard=vcf,vcard  tab-separated-values=tsv  richtext=rtx  vtt
        x-bibtex=bib  x-c=c,h,cc,cpp,hpp,cxx,hxx  x-java-source=java  x-diff=diff,patch
        x-tex=tex,ltx,sty,cls  x-fortran=f,for,f77,f90  x-pascal=p,pas  x-asm=s,asm  x-rst=rst
        troff=t,tr,roff,man,me,ms  sgml=sgml,sgm  x-component=htc  cache-manifest=appcache  n3  turtle=ttl
        uri-list=uri,uris,urls  x-setext=etx
    """,
    "image": """
        jpeg=jpg,jpeg,jpe,jfif  png  gif  svg+xml=svg,svgz  webp  avif  apng  bmp  tiff=tif,tiff
        x-icon=ico,cur  heic  heif  jxl  jp2=jp2,jpg2  jpx=jpx,jpf  jpm  vnd.djvu=djvu,djv
        vnd.adobe.photoshop=psd  x-portable-anymap=pnm  x-portable-bitmap=pbm  x-portable-graymap=pgm
        x-portable-pixmap=ppm  x-xbitmap=xbm  x-xpixmap=xpm  x-cmu-raster=ras  x-rgb=rgb  x-pcx=pcx  ief
        cgm  vnd.dwg=dwg  vnd.dxf=dxf  vnd.wap.wbmp=wbmp  x-tga=tga  aces=exr  vnd.radiance=hdr
    """,
    "audio": """
        mpeg=mp3,mp2,mp2a,mpga,m2a,m3a  mp4=m4a,mp4a  ogg=ogg,oga,spx  opus  wav=wav  flac  aac  webm=weba
        midi=mid,midi,kar,rmi  x-aiff=aif,aiff,aifc  basic=au,snd  x-ms-wma=wma  x-mpegurl=m3u  amr
        x-pn-realaudio=ram,ra  3gpp=3ga
    """,
    "video": """
        mp4=mp4,mp4v,mpg4,m4v  mpeg=mpeg,mpg,mpe,m1v,m2v  ogg=ogv  webm  quicktime=qt,mov
        x-matroska=mkv,mk3d  x-msvideo=avi  x-ms-wmv=wmv  x-ms-asf=asf,asx  x-flv=flv  3gpp=3gp  3gpp2=3g2
        mp2t=mts,m2ts  x-sgi-movie=movie
    """,
    "font": "woff  woff2  ttf  otf  collection=ttc",
    "model": """
        gltf+json=gltf  gltf-binary=glb  stl  obj  mtl  iges=igs,iges  vrml=wrl,vrml  vnd.collada+xml=dae
        mesh=msh,mesh,silo  step=step,stp  3mf
    """,
    "message": "rfc822=eml,mime,mht,mhtml",
    "chemical": "x-pdb=pdb  x-xyz=xyz  x-cif=cif  x-mdl-molfile=mol  x-mdl-sdfile=sdf",
    "application": """
        pdf  postscript=ps,eps,ai  rtf  epub+zip=epub  x-mobipocket-ebook=mobi,prc  xhtml+xml=xhtml,xht
        json=json,map  ld+json=jsonld  geo+json=geojson  manifest+json=webmanifest  json5
        x-ndjson=ndjson,jsonl  xslt+xml=xsl,xslt  xml-dtd=dtd,mod  schema+xml=xsd  rdf+xml=rdf,owl
        rss+xml=rss  atom+xml=atom  tei+xml=tei  mathml+xml=mathml,mml  smil+xml=smi,smil  wsdl+xml=wsdl
        gml+xml=gml  gpx+xml=gpx  vnd.google-earth.kml+xml=kml  vnd.google-earth.kmz=kmz  mets+xml=mets
        mods+xml=mods  marcxml+xml=mrcx  marc=mrc,marc  sparql-query=rq  n-triples=nt  n-quads=nq  trig
        yaml=yaml,yml  toml  sql  x-latex=latex  msword=doc,dot,wiz  vnd.ms-excel=xls,xlt,xlm,xla,xlc,xlw
        vnd.ms-powerpoint=ppt,pps,pot,ppa  vnd.openxmlformats-officedocument.wordprocessingml.document=docx
        vnd.openxmlformats-officedocument.wordprocessingml.template=dotx
        vnd.openxmlformats-officedocument.spreadsheetml.sheet=xlsx
        vnd.openxmlformats-officedocument.spreadsheetml.template=xltx
        vnd.openxmlformats-officedocument.presentationml.presentation=pptx
        vnd.openxmlformats-officedocument.presentationml.slideshow=ppsx
        vnd.ms-word.document.macroenabled.12=docm  vnd.ms-excel.sheet.macroenabled.12=xlsm
        vnd.oasis.opendocument.text=odt  vnd.oasis.opendocument.spreadsheet=ods
        vnd.oasis.opendocument.presentation=odp  vnd.oasis.opendocument.graphics=odg
        vnd.oasis.opendocument.chart=odc  vnd.oasis.opendocument.formula=odf  vnd.visio=vsd,vst
        vnd.ms-project=mpp,mpt  x-msaccess=mdb  vnd.apple.keynote=key,keynote  vnd.apple.pages=pages
        vnd.apple.numbers=numbers  vnd.apple.mpegurl=m3u8  dash+xml=mpd  zip  gzip=gz,tgz  x-tar=tar
        x-bzip2=bz2,tbz2  x-xz=xz,txz  zstd=zst  x-7z-compressed=7z  vnd.rar=rar  x-compress=z  x-cpio=cpio
        x-stuffit=sit  mac-binhex40=hqx  x-iso9660-image=iso  x-apple-diskimage=dmg
        java-archive=jar,war,ear  vnd.android.package-archive=apk  vnd.debian.binary-package=deb,udeb
        x-redhat-package-manager=rpm  x-msdownload=exe,dll,com,bat,msi  x-sh=sh  x-csh=csh  x-tcl=tcl  wasm
        x-shockwave-flash=swf  java-vm=class  java-serialized-object=ser  x-bittorrent=torrent
        pgp-signature=sig  pgp-encrypted=pgp  pkix-cert=cer  x-x509-ca-cert=der,crt  pkcs7-mime=p7m,p7c
        vnd.ms-fontobject=eot  x-font-type1=pfa,pfb,pfm  x-hdf=hdf,h4  x-hdf5=h5,hdf5  x-netcdf=nc,cdf
        fits=fit,fits  vnd.apache.parquet=parquet  vnd.sqlite3=sqlite,sqlite3,db3  x-dvi=dvi
        x-texinfo=texinfo,texi  x-bibtex-text-file=bibtex  x-research-info-systems=ris  mathematica=nb,ma,mb
        x-spss-sav=sav  x-stata-dta=dta  x-r-data=rdata,rda  x-matlab-data=mat  x-ipynb+json=ipynb
        x-subrip=srt  ttml+xml=ttml  x-silverlight-app=xap  oda  dicom=dcm  vnd.geogebra.file=ggb
        vnd.mapbox-vector-tile=mvt  vnd.shp=shp  vnd.shx=shx  x-dbf=dbf  warc=warc,arc
    """,
}


def _table() -> dict[str, str]:
    found: dict[str, str] = {}
    for family, listed in _FAMILIES.items():
        for word in listed.split():
            subtype, _, endings = word.partition("=")
            found.update((ending, f"{family}/{subtype}") for ending in (endings or subtype).split(","))
    return found


TYPES: Mapping[str, str] = _table()


def guess_media_type(path: str, declared: str | None = None) -> str:
    """Return the media type for a path; `declared` is the type configured in the folder, if any."""
    if declared is not None:
        return parse_content_type(declared) or UNKNOWN
    name = path.rpartition("/")[2]
    _, dot, ending = name.rpartition(".")
    return TYPES.get(ending.lower(), UNKNOWN) if dot else UNKNOWN


def parse_content_type(text: str) -> str | None:
    """Return the bare media type of a Content-Type in lower case; None if it is invalid."""
    bare = text.partition(";")[0].strip().lower()
    return bare if _TYPE.fullmatch(bare) else None


# Media types as sets: image/jpeg is the set mime:image:jpeg, inside mime:image, inside mime. A setSpec allows
# fewer characters than a media type. Others are written as ~ and two hexadecimal digits, so image/svg+xml is
# mime:image:svg~2Bxml, and the mapping is reversible.

ROOT = "mime"
ROOT_NAME = "Files by media type"
_OTHER = re.compile(r"[^A-Za-z0-9_.!*'()-]")  # what the protocol's schema allows, except our own ~
_CODED = re.compile(r"~([0-9A-F]{2})")


@lru_cache(maxsize=1024)
def media_type_set(media_type: str) -> str:
    parts = (_OTHER.sub(lambda found: f"~{ord(found[0]):02X}", part) for part in media_type.split("/", 1))
    return ":".join((ROOT, *parts))


def set_media_type(spec: str) -> str:
    """Return the media type, or its family, of a setSpec; "" for the set of all media types."""
    return "/".join(_CODED.sub(lambda found: chr(int(found[1], 16)), part) for part in spec.split(":")[1:])


def named_sets(specs: Iterable[str]) -> list[tuple[str, str]]:
    """Return these sets and their parents with their names, outermost first."""
    found = {ROOT: ROOT_NAME}
    for spec in sorted(specs):
        root, family, *rest = spec.split(":")
        if root == ROOT:
            found.setdefault(f"{root}:{family}", set_media_type(f"{root}:{family}"))
            if rest:
                found[spec] = set_media_type(spec)
    return sorted(found.items())
