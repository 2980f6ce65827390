import { HOSTILE_HTML } from './hostile-mails.ts';

const bytes = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'));

/** A picture of one pixel in each format. */
export const PICTURES = {
  png: bytes(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  ),
  gif: bytes('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'),
  jpeg: bytes(
    '/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/yQALCAABAAEBAREA/8wABgAQEAX/2gAIAQEAAD8A0s8g/9k=',
  ),
  webp: bytes('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA'),
} as const;

const text = (content: string): Uint8Array => new Uint8Array(Buffer.from(content));
const after = (picture: Uint8Array, content: string): Uint8Array =>
  new Uint8Array(Buffer.concat([picture, Buffer.from(content)]));

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" onload="fetch(\'/evil\')"><script>fetch("/evil")</script><image href="/evil"/></svg>';

const PAGES = Object.fromEntries(HOSTILE_HTML.map((html, n) => [`page ${n}`, text(html)]));

/** Files that would run, load or lead somewhere if they were more than pictures and texts. */
export const HOSTILE_FILES: Readonly<Record<string, Uint8Array>> = {
  'all pages': text(HOSTILE_HTML.join('\n')),
  'drawing': text(SVG),
  'drawing with a declaration': text(`<?xml version="1.0"?><!DOCTYPE svg>${SVG}`),
  'end of the text': text('</pre></body></html><script>fetch("/evil")</script>'),
  'wide page': new Uint8Array(
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('</pre><script>1</script>', 'utf16le')]),
  ),
  'seven bits': text('+ADw-script+AD4-alert(1)+ADw-/script+AD4-'),
  'escapes': text('\u001b(J<script>alert(1)</script>\u001b$B</pre>'),
  'picture and page': after(PICTURES.gif, '"><script>fetch("/evil")</script>'),
  'picture and drawing': after(PICTURES.png, SVG),
  'picture that is a program': text('GIF89a=0;fetch("/evil")//"><img src=/evil>'),
  'no picture': text(`RIFF....WEB"><script>alert(1)</script>`),
  'PDF with a program': text(
    '%PDF-1.7\n1 0 obj<</Type/Catalog/OpenAction<</S/JavaScript/JS(app.launchURL("/evil"))>>/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>',
  ),
};

/** The same, and each page on its own. */
export const MORE_HOSTILE_FILES: typeof HOSTILE_FILES = { ...HOSTILE_FILES, ...PAGES };
