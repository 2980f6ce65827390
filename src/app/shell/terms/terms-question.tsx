import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import type { TermsOfUse } from './pending-terms.ts';
import { termsMessages as t } from './messages.en.ts';

export interface TermsQuestionProps {
  readonly terms: TermsOfUse;
  readonly busy: 'accept' | 'decline' | null;
  readonly error: string | null;
  readonly onAccept: () => void;
  readonly onDecline: () => void;
}

/** The dialog closes only when the user accepts or logs out. */
export function TermsQuestion({ terms, busy, error, onAccept, onDecline }: TermsQuestionProps) {
  return (
    <Dialog
      title={terms.title}
      wide
      stays
      onClose={() => {}}
      footer={
        <>
          <Button variant="primary" busy={busy === 'accept'} onClick={onAccept}>
            {t.accept}
          </Button>
          <Button busy={busy === 'decline'} onClick={onDecline}>
            {t.decline}
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-3 px-5 py-4">
        {terms.text.split(/\n\s*\n/).map((paragraph) => (
          <p key={paragraph} className="m-0 break-words whitespace-pre-line">
            {paragraph.trim()}
          </p>
        ))}
        <p className="m-0 text-agate text-ink-3">{t.version({ version: terms.version })}</p>
        {error !== null && (
          <p role="alert" className="m-0 text-failed">
            {error}
          </p>
        )}
      </div>
    </Dialog>
  );
}
