// The two coders of text that every room has, though no ES library names them. Only this room's own
// check reads this file.
declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>;
}
declare class TextDecoder {
  decode(bytes: Uint8Array): string;
}
