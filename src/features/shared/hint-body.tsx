import type { HintFields } from '#contract/hints/hints.ts';
import { Icon } from '#src/ui/icon.tsx';
import { hintBodyMessages as t } from './hint-body.messages.en.ts';

/** Content of a hint: text, ordered steps, and links that open outside the portal. */
export function HintBody({
  summary,
  steps,
  links,
}: Pick<HintFields, 'summary' | 'steps' | 'links'>) {
  return (
    <>
      {summary !== '' && <p className="m-0 break-words whitespace-pre-line">{summary}</p>}
      {steps.length > 0 && (
        <ol className="m-0 mt-1 list-decimal pl-5">
          {steps.map((step, i) => (
            <li key={`${i} ${step}`} className="break-words">
              {step}
            </li>
          ))}
        </ol>
      )}
      {links.length > 0 && (
        <ul className="m-0 mt-1 list-none p-0">
          {links.map(({ name, address }) => (
            <li key={`${name} ${address}`}>
              <a
                href={address}
                target="_blank"
                rel="noopener noreferrer"
                className="inline-flex max-w-full items-center gap-1 text-accent underline pointer-coarse:min-h-11"
              >
                <span className="min-w-0 break-words">{name}</span>
                <Icon name="external" size={12} className="shrink-0" />
                <span className="sr-only"> {t.opensInNewTab}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
