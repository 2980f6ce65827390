import { getTitle } from '#src/app/shell/branding/apply-branding.ts';
import { useBranding } from '#src/app/session/session.ts';
import { Dialog } from '#src/ui/dialog.tsx';
import { RecoveryCodes } from '../recovery-codes.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { ownAccountMessages as t } from './messages.en.ts';

/** Shows new recovery codes once. `description`: what they are for. */
export function RecoveryCodesDialog({
  codes,
  description,
  onClose,
}: {
  readonly codes: readonly string[];
  readonly description: string;
  readonly onClose: () => void;
}) {
  const portal = getTitle(useBranding());
  return (
    <Dialog title={t.saveRecoveryCodes} stays onClose={onClose}>
      <div className="grid grid-cols-1 gap-4 px-5 py-4">
        <p className="m-0 text-ink-2">{description}</p>
        <RecoveryCodes codes={codes} portal={portal} action={ui.done} onSaved={onClose} />
      </div>
    </Dialog>
  );
}
