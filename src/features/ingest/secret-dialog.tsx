import { useState } from 'react';
import type { KeyId, Ms } from '#contract/ids.ts';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import type { Source } from '#contract/runs/vocabulary.ts';
import { useNow } from '#src/app/clock.ts';
import { Button } from '#src/ui/button.tsx';
import { CopyText } from '#src/ui/copy-text.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatTime } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { Select } from '#src/ui/select.tsx';
import { TOOL_CHOICES, getRecipe } from './install-commands.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { sourceMessages as t } from './messages.en.ts';

/**
 * A key with its secret in clear text, which exists only as long as this dialog. `since`: set if it
 * replaced another key.
 */
export interface RevealedSecret {
  readonly id: KeyId;
  readonly name: string;
  readonly tool: Source;
  readonly secret: string;
  readonly since: Ms | null;
}

export interface SecretDialogProps {
  readonly shown: RevealedSecret;
  /** The key on this device; it turns green when the first result arrives. */
  readonly row: IngestKeyRow | undefined;
  readonly zone: string;
  readonly offline: boolean;
  readonly onClose: () => void;
}

export function SecretDialog({ shown, row, zone, offline, onClose }: SecretDialogProps) {
  const now = useNow();
  const [tool, setTool] = useState<Source>(
    TOOL_CHOICES.some((choice) => choice.tool === shown.tool) ? shown.tool : 'api',
  );
  const recipe = getRecipe(tool, {
    origin: location.origin,
    secret: shown.secret,
    job: shown.name,
    now,
  });
  return (
    <Dialog
      title={shown.name}
      wide
      stays
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{ui.done}</Button>
          <Arrival row={row} rotated={shown.since !== null} zone={zone} offline={offline} />
        </>
      }
    >
      <section className="grid grid-cols-1 gap-2 px-5 py-4">
        <h3 className="m-0">{t.secret}</h3>
        <CopyText text={shown.secret} copied={t.copiedSecret} label={t.copySecret} />
        <p className="m-0 text-ink-2">{t.secretHint}</p>
      </section>
      <section className="grid gap-2 border-t border-rule px-5 py-4">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <h3 className="m-0">{recipe.description}</h3>
          <Select
            label={t.tool}
            value={tool}
            options={TOOL_CHOICES.map((choice) => ({ value: choice.tool, label: choice.label }))}
            onChange={setTool}
          />
        </div>
        <CopyText text={recipe.text} copied={t.copiedCommand} label={t.copyCommand} />
        <p className="m-0 text-ink-2">{recipe.note}</p>
      </section>
      {recipe.also !== undefined && (
        <section className="grid gap-2 border-t border-rule px-5 py-4">
          <h3 className="m-0">{recipe.also.description}</h3>
          <CopyText text={recipe.also.text} copied={t.copiedCommand} label={t.copySecondCommand} />
          <p className="m-0 text-ink-2">{recipe.also.note}</p>
        </section>
      )}
    </Dialog>
  );
}

/** Waits for the first result, then turns green. */
function Arrival({
  row,
  rotated,
  zone,
  offline,
}: {
  readonly row: IngestKeyRow | undefined;
  readonly rotated: boolean;
  readonly zone: string;
  readonly offline: boolean;
}) {
  const at = row?.firstResultAt ?? null;
  if (rotated && at !== null) return null;
  return (
    <output
      className={`ml-auto flex min-h-8 items-center gap-2 ${at === null ? 'text-ink-2' : 'font-semibold text-success'}`}
    >
      {at === null && offline ? (
        <>
          <Icon name="offline" className="text-warning" />
          {t.waitingOffline}
        </>
      ) : at === null ? (
        <>
          <Icon name="sync" className="animate-spin text-running [animation-duration:2s]" />
          {t.waitingNow}
        </>
      ) : (
        <>
          <Icon name="tick" size={20} stroke={1.75} />
          {t.firstResult({ time: formatTime(at, zone) })}
        </>
      )}
    </output>
  );
}
