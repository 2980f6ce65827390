import { DARK_MARKS } from '#contract/branding/first-colors.ts';
import type { Branding } from '#contract/branding/branding.ts';
import { BrandMark } from '#src/app/shell/branding/brand-mark.tsx';
import { getSidebarTitle } from '#src/app/shell/branding/apply-branding.ts';
import { Icon } from '#src/ui/icon.tsx';

/** The provider's part of the page: its name, a decorative month of results, and its contacts. */
export function SignInBrand({ branding }: { readonly branding: Branding | null }) {
  const name = getSidebarTitle(branding);
  return (
    <header className="flex min-w-0 flex-col gap-4 bg-side px-5 py-4 text-side-ink desk:gap-0 desk:px-12 desk:py-10">
      <div className="flex min-w-0 items-center gap-3">
        <BrandMark branding={branding} height={32} />
        <span className="min-w-0 truncate text-head" data-tip={name}>
          {name}
        </span>
      </div>
      <div className="hidden grow items-center desk:flex">
        <Nights />
      </div>
      {(branding?.supportEmail || branding?.supportPhone) && (
        <address className="hidden gap-1.5 text-side-ink-2 not-italic desk:grid">
          {branding.supportEmail && (
            <Contact
              icon="mail"
              href={`mailto:${branding.supportEmail}`}
              text={branding.supportEmail}
            />
          )}
          {branding.supportPhone && (
            <Contact
              icon="phone"
              href={`tel:${branding.supportPhone.replace(/[^\d+]/g, '')}`}
              text={branding.supportPhone}
            />
          )}
        </address>
      )}
    </header>
  );
}

function Contact({
  icon,
  href,
  text,
}: {
  readonly icon: 'mail' | 'phone';
  readonly href: string;
  readonly text: string;
}) {
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <Icon name={icon} />
      <a href={href} className="truncate hover:text-side-ink focus-visible:outline-side-ink">
        {text}
      </a>
    </span>
  );
}

const DAYS = 38;
const JOBS = 13;
/** Cells with a bad state: row, column, state. */
const BAD = [
  [4, 33, 'failed'],
  [8, 12, 'warning'],
  [10, 26, 'warning'],
] as const;

/** Decoration: results of thirteen jobs over thirty-eight days. */
function Nights() {
  return (
    <svg
      viewBox={`0 0 ${DAYS * 12 - 8} ${JOBS * 34 - 10}`}
      className="w-full max-w-[464px]"
      aria-hidden
    >
      {Array.from({ length: JOBS }, (_, row) => (
        <g key={row} fill="currentColor" opacity={0.22 + row * 0.025}>
          {Array.from({ length: DAYS }, (_, day) => {
            if (BAD.some(([badRow, badDay]) => badRow === row && badDay === day)) return null;
            const idle = (row * 31 + day * 17 + row * day * 5) % 19 === 0;
            return (
              <rect
                key={day}
                x={day * 12}
                y={row * 34 + (idle ? 22 : 16)}
                width={4}
                height={idle ? 2 : 8}
              />
            );
          })}
        </g>
      ))}
      {BAD.map(([row, day, state]) => (
        <rect
          key={`${row}-${day}`}
          x={day * 12}
          y={row * 34 + (state === 'failed' ? 0 : 8)}
          width={4}
          height={state === 'failed' ? 24 : 16}
          fill={DARK_MARKS[state === 'failed' ? 'failed' : 'warning']}
        />
      ))}
    </svg>
  );
}
