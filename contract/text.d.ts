// The two text coders that every runtime provides, although no ES library declares them. Only the
// type check of this folder reads this file.
declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>;
}
declare class TextDecoder {
  decode(bytes: Uint8Array): string;
}
