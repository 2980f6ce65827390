import { encode } from 'uqr';

/** A text as a QR code, dark on white in both themes, because cameras expect that. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { size, data } = encode(text, { ecc: 'M', border: 4 });
  const path = data
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <figure aria-label={label} className="m-0">
      <svg
        aria-hidden
        viewBox={`0 0 ${size} ${size}`}
        shapeRendering="crispEdges"
        className="block size-52 rounded-part border border-rule"
      >
        <rect width={size} height={size} fill="#fff" />
        <path d={path} fill="#000" />
      </svg>
    </figure>
  );
}
