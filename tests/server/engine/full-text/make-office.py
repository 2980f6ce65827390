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
    "word/settings.xml": HEAD + f"<w:settings {W}><w:t>setting</w:t></w:settings>",
})
save("sheet.xlsx", {
    "xl/sharedStrings.xml": HEAD + f"<sst {S}><si><t>Quarter</t></si><si><r><t>Tide</t></r><r><t>table</t></r></si></sst>",
    "xl/worksheets/sheet1.xml": HEAD + f'<worksheet {S}><sheetData><row><c t="inlineStr"><is><t>inlined</t></is></c><c><v>4711</v></c></row></sheetData></worksheet>',
})
save("talk.pptx", {
    "ppt/slides/slide1.xml": HEAD + f"<p:sld {A}><a:p><a:r><a:t>Moorings</a:t></a:r></a:p></p:sld>",
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
save("bomb.odt", {"content.xml": b"<text:p>" + b"a " * 100_000_000 + b"</text:p>"})
save("bomb.docx", {"word/document.xml": b"<w:t>" + b"a " * 100_000_000 + b"</w:t>"})
save("open.docx", {"word/document.xml": "<w:t " * 2_000_000})
save("many.docx", {f"word/header{n}.xml": "<w:t>" + "x" * 4_000_000 + "</w:t>" for n in range(40)})
