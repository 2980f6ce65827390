"""Writes a Word, an Excel and a PowerPoint file as ISO/IEC 29500 has them, and hostile ones."""
import sys
import zipfile

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
save("bomb.docx", {"word/document.xml": b"<w:t>" + b"a " * 100_000_000 + b"</w:t>"})
save("open.docx", {"word/document.xml": "<w:t " * 2_000_000})
save("many.docx", {f"word/header{n}.xml": "<w:t>" + "x" * 4_000_000 + "</w:t>" for n in range(40)})
