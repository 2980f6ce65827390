"""Writes office files as ISO/IEC 29500 and ISO/IEC 26300 have them, a PDF, and hostile ones."""
import sys
import zipfile
import zlib

folder = sys.argv[1]
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def save(name, files):
    with zipfile.ZipFile(f"{folder}/{name}", "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)


save("report.docx", {
    "[Content_Types].xml": HEAD + "<Types>contenttype</Types>",
    "word/document.xml": HEAD + f"""<w:document {W}><w:body>
<w:p w:rsidR="00A1"><w:r><w:t>Har</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>bour</w:t></w:r><w:r><w:t xml:space="preserve"> Fl&#252;ge &amp; more</w:t></w:r></w:p>
<w:p><w:r><w:t>First</w:t></w:r><w:r><w:tab/></w:r><w:r><w:t>second</w:t></w:r></w:p>
<w:p><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del><w:r><w:instrText>HYPERLINK</w:instrText></w:r></w:p>
</w:body></w:document>""",
    "word/footnotes.xml": HEAD + f"<w:footnotes {W}><w:footnote><w:p><w:r><w:t>footnoted</w:t></w:r></w:p></w:footnote></w:footnotes>",
    "word/endnotes.xml": HEAD + f"<w:endnotes {W}><w:endnote><w:p><w:r><w:t>endnoted</w:t></w:r></w:p></w:endnote></w:endnotes>",
    "word/comments.xml": HEAD + f"<w:comments {W}><w:comment><w:p><w:r><w:t>commented</w:t></w:r></w:p></w:comment></w:comments>",
    "word/header2.xml": HEAD + f"<w:hdr {W}><w:p><w:r><w:t>heading</w:t></w:r></w:p></w:hdr>",
    "word/footer1.xml": HEAD + f"<w:ftr {W}><w:p><w:r><w:t>footing</w:t></w:r></w:p></w:ftr>",
    "word/diagrams/data1.xml": HEAD + f"<dgm:dataModel {A}><a:p><a:r><a:t>drawn</a:t></a:r></a:p></dgm:dataModel>",
    "word/settings.xml": HEAD + f"<w:settings {W}><w:t>setting</w:t></w:settings>",
})
save("sheet.xlsx", {
    "xl/sharedStrings.xml": HEAD + f"<sst {S}><si><t>Quarter</t></si><si><r><t>Tide</t></r><r><t>table</t></r></si></sst>",
    "xl/worksheets/sheet1.xml": HEAD + f'<worksheet {S}><sheetData><row><c t="inlineStr"><is><t>inlined</t></is></c><c><v>4711</v></c></row></sheetData></worksheet>',
})
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
X = S.replace("xmlns=", "xmlns:x=")


def relations(targets):
    """The relationships of a workbook (ISO/IEC 29500-2, 9.3)."""
    return HEAD + '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' + "".join(
        f'<Relationship Id="rId{n}" Type="{R[9:-1]}/worksheet" Target="{target}"/>' for n, target in enumerate(targets, 1)) + "</Relationships>"


# Sheets in another order than their files; dates of 1904; another prefix; cells without their places.
save("cells.xlsx", {
    "xl/workbook.xml": HEAD + f"""<workbook {S} {R}><workbookPr date1904="1"/><sheets>
<sheet name="Second &amp; first" sheetId="2" r:id="rId2"/><sheet name='Later' sheetId="1" r:id="rId1"/></sheets></workbook>""",
    "xl/_rels/workbook.xml.rels": relations(["worksheets/sheet1.xml", "/xl/worksheets/sheet2.xml"]),
    "xl/styles.xml": HEAD + f"""<styleSheet {S}><numFmts count="3"><numFmt numFmtId="164" formatCode="[$-407]d\\.m\\.yyyy"/>
<numFmt numFmtId="165" formatCode="0.00&quot; days&quot;"/><numFmt formatCode="[Red]General;h" numFmtId="166"/></numFmts>
<cellStyleXfs count="1"><xf numFmtId="14"/></cellStyleXfs>
<cellXfs count="5"><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="22"><alignment/></xf></cellXfs>
<dxfs count="1"><dxf><numFmt numFmtId="165" formatCode="yyyy"/></dxf></dxfs></styleSheet>""",
    "xl/worksheets/sheet1.xml": HEAD + f'<worksheet {S}><sheetData><row><c t="d"><v>2026-03-23T00:00:00</v></c><c t="d"><v>2026-03-23T17:45:30</v></c></row></sheetData></worksheet>',
    "xl/worksheets/sheet2.xml": HEAD + f"""<x:worksheet {X}><x:sheetData>
<x:row r="1048576"><x:c t="inlineStr"><x:is><x:r><x:t>Har</x:t></x:r><x:r><x:t>bour</x:t></x:r><x:rPh sb="0" eb="1"><x:t>aloud</x:t></x:rPh></x:is></x:c><x:c s="1"/><x:c s="1"><x:v>0</x:v></x:c><x:c s="2"><x:v>1.1000000000000001</x:v></x:c></x:row>
<x:row><x:c r="B3" t="b"><x:v>1</x:v></x:c><x:c r="D3" t="str"><x:f>A1&amp;"x"</x:f><x:v>two_x000D_
lines</x:v></x:c><x:c r="XFD3" t="e"><x:v>#DIV/0!</x:v></x:c></x:row>
<x:row/><x:row><x:c s="4"><x:v>44642.5</x:v></x:c><x:c s="3"><x:v>44642.5</x:v></x:c><x:c s="1"><x:v>-1</x:v></x:c><x:c s="77" t="n"><x:v>12</x:v></x:c></x:row>
</x:sheetData></x:worksheet>""",
})
save("talk.pptx", {
    "ppt/slides/slide1.xml": HEAD + f"<p:sld {A}><a:p><a:r><a:t>Moorings</a:t></a:r></a:p></p:sld>",
    "ppt/charts/chart7.xml": HEAD + f"<c:chartSpace {A}><a:p><a:r><a:t>charted</a:t></a:r></a:p></c:chartSpace>",
    "ppt/comments/comment1.xml": HEAD + '<p:cmLst><p:cm authorId="0"><p:pos x="1" y="2"/><p:text>Wider &amp; lower</p:text></p:cm></p:cmLst>',
    "ppt/comments/modernComment_100_0.xml": HEAD + f"<p188:cmLst {A}><p188:cm><p188:txBody><a:p><a:r><a:t>modernly</a:t></a:r></a:p></p188:txBody></p188:cm></p188:cmLst>",
    "ppt/notesSlides/notesSlide1.xml": (HEAD.replace("UTF-8", "UTF-16") + f"<p:notes {A}><a:p><a:r><a:t>whispered</a:t></a:r></a:p></p:notes>").encode("utf-16"),
})
O = ('xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
     ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"')
save("report.odt", {
    "mimetype": "application/vnd.oasis.opendocument.text",
    "content.xml": f"""{HEAD}<office:document-content {O}><office:scripts>scripted</office:scripts><office:body><office:text>
<text:tracked-changes><text:changed-region><text:deletion><text:p>deleted</text:p></text:deletion></text:changed-region></text:tracked-changes>
<text:h text:outline-level="1">Harbour<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>footnoted</text:p></text:note-body></text:note></text:h>
<text:p text:style-name="P1">Fl&#252;<text:span text:style-name="T1">ge</text:span><text:s text:c="2"/>&amp;<text:tab/>more<office:annotation><dc:creator>Bo</dc:creator><text:p>commented</text:p></office:annotation></text:p>
<text:p/><table:table><table:table-row><table:table-cell><text:p>cell</text:p></table:table-cell><table:table-cell><text:p>beside</text:p></table:table-cell></table:table-row></table:table>
</office:text></office:body></office:document-content>""",
    "styles.xml": f"{HEAD}<office:document-styles {O}><office:master-styles><text:p>header</text:p></office:master-styles></office:document-styles>",
    "settings.xml": f"{HEAD}<office:document-settings {O}><text:p>setting</text:p></office:document-settings>",
})


def pdf(objects):
    """Joins numbered objects, with the table of where they are (ISO 32000-1, 7.5)."""
    out, places = b"%PDF-1.4\n", []
    for n, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (n, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return (out + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
            % (len(objects) + 1, table, len(objects) + 1, len(out)))


def stream(content):
    packed = zlib.compress(content)
    return b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed)


PAGE = b"BT /F1 12 Tf 50 700 Td (Moored at the har-) Tj 0 -14 Td (bour of Stockholm) Tj ET\nBT /F1 12 Tf 50 600 Td [(Kn) 20 (ots)] TJ ET"
with open(f"{folder}/berth.pdf", "wb") as file:
    file.write(pdf([
        b"<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert\\('scripted'\\)) >> >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R /Annots [6 0 R 7 0 R] >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        stream(PAGE),
        b"<< /Type /Annot /Subtype /Text /Rect [50 50 70 70] /Contents (remarked) >>",
        b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (entered) /Rect [50 100 200 120] >>",
    ]))
with open(f"{folder}/circle.pdf", "wb") as file:
    file.write(pdf([
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000 >>",
    ]))
CELL = '<c r="XFD1" t="s"><v>0</v></c>'
# Few bytes that become many: a long text in many cells, and cells far to the right.
save("grown.xlsx", {
    "xl/sharedStrings.xml": f"<sst><si><t>{'tide ' * 6_000_000}</t></si></sst>",
    "xl/worksheets/sheet1.xml": "<worksheet><sheetData>" + f"<row>{CELL * 8}</row>" * 100_000 + "</sheetData></worksheet>",
})
save("deep.xlsx", {"xl/worksheets/sheet1.xml": "<row><c><is><t>" * 500_000})
save("open.xlsx", {"xl/worksheets/sheet1.xml": "<c r=" * 1_000_000, "xl/styles.xml": '<numFmt formatCode="' * 500_000})
save("large.xlsx", {
    "xl/sharedStrings.xml": "<sst><si><t>Texts remain</t></si></sst>",
    "xl/workbook.xml": f'<workbook {S} {R}><sheets><sheet name="Large" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": relations(["worksheets/sheet1.xml"]),
    "xl/worksheets/sheet1.xml": "<row><c><v>1</v></c></row>" * 1_400_000,
})
save("numbers.xlsx", {
    "xl/sharedStrings.xml": "<sst><si><t>Lastly</t></si></sst>",
    "xl/worksheets/sheet1.xml": "".join(f"<row><c><v>{n}.5</v></c></row>" for n in range(100_000)) + '<row><c t="inlineStr"><is><t>Written</t></is></c></row>',
})
save("bomb.odt", {"content.xml": b"<text:p>" + b"a " * 100_000_000 + b"</text:p>"})
save("bomb.docx", {"word/document.xml": b"<w:t>" + b"a " * 100_000_000 + b"</w:t>"})
save("open.docx", {"word/document.xml": "<w:t " * 2_000_000})
save("many.docx", {f"word/header{n}.xml": "<w:t>" + "x" * 4_000_000 + "</w:t>" for n in range(40)})
