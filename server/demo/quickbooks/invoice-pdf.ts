const FIRST_Y = 770;
const LINE_HEIGHT = 18;

/** Returns a page with lines of text, as ISO 32000 describes a PDF. */
export function makeInvoicePdf(lines: readonly string[]): Uint8Array<ArrayBuffer> {
  const content = [
    'BT /F1 11 Tf',
    `60 ${FIRST_Y} Td ${LINE_HEIGHT} TL`,
    ...lines.map((line) => `(${escapeText(line)}) Tj T*`),
    'ET',
  ].join('\n');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  file += `${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return new Uint8Array(Buffer.from(file, 'latin1'));
}

const escapeText = (line: string): string =>
  line.replaceAll(/[^\x20-\x7e\xa0-\xff]/g, '?').replaceAll(/[()\\]/g, String.raw`\$&`);
