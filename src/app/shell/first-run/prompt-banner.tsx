import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import type { IconName } from '../../../ui/icon.tsx';
import { uiMessages } from '#src/ui/messages.en.ts';
import { announce } from '../announce.tsx';
import { firstRunMessages as t } from './messages.en.ts';

/** A sentence above the page with a link to the first step. It does not take the focus. */
export function PromptBanner({
  icon,
  text,
  link,
  onDismiss,
}: {
  readonly icon: IconName;
  readonly text: string;
  readonly link: ReactNode;
  readonly onDismiss: () => void;
}) {
  useEffect(() => announce(text), [text]);
  return (
    <section
      aria-label={t.getStarted}
      className="flex min-h-11 flex-wrap items-center gap-x-2.5 gap-y-1 border-b border-l-[3px] border-b-rule border-l-accent bg-sheet px-3 py-1.5 print:hidden tablet:px-5"
    >
      <Icon name={icon} className="text-accent" />
      <p className="m-0 min-w-0 grow basis-52 break-words">{text}</p>
      <span className="flex flex-wrap items-center gap-2">
        {link}
        <Button size="sm" onClick={onDismiss}>
          {uiMessages.dismiss}
        </Button>
      </span>
    </section>
  );
}

export const PROMPT_LINK =
  'inline-flex items-center text-accent underline underline-offset-2 pointer-coarse:min-h-11';
