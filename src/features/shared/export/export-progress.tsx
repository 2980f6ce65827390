import { useSyncExternalStore } from 'react';
import { Button } from '#src/ui/button.tsx';
import { getPercent } from '#src/ui/percent.ts';
import { making } from './make-file.ts';
import { exportMessages as t } from './messages.en.ts';
import { uiMessages } from '#src/ui/messages.en.ts';

/** Progress of the export above the list, with a button to cancel. */
export function ExportLine() {
  const now = useSyncExternalStore(making.subscribe, making.now);
  if (now === null) return null;
  const percent = Math.floor(getPercent(now.share, 1));
  return (
    <div className="flex min-h-10 items-center gap-3 border-t border-rule bg-sheet px-4 py-1">
      <span className="whitespace-nowrap">{t.creatingFile({ percent })}</span>
      <progress
        aria-label={t.export}
        value={percent}
        max={100}
        className="h-[3px] min-w-0 grow appearance-none border-0 bg-hair [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-hair [&::-webkit-progress-value]:bg-accent"
      />
      <Button size="sm" variant="quiet" onClick={now.cancel}>
        {uiMessages.cancel}
      </Button>
    </div>
  );
}
