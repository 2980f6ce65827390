import { useState } from 'react';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import type { RunView } from '#contract/runs/query.ts';
import { detailsOf } from './details.ts';
import { Part } from './part.tsx';
import type { Asked } from './use-execution.ts';
import { runPanelMessages as t } from './messages.en.ts';

const SHOWN = 6;

/** What the tool reports beside the common fields. Renders nothing if there is nothing. */
export function ToolDetails({ row, asked }: { readonly row: RunView; readonly asked: Asked }) {
  const [whole, setWhole] = useState(false);
  const details = asked.execution === null ? [] : detailsOf(asked.execution);
  if (details.length === 0) return null;
  return (
    <Part
      title={t.detailsFrom({ source: SOURCE_NAMES[row.source] })}
      more={
        details.length <= SHOWN
          ? null
          : {
              open: whole,
              word: whole ? t.showFewer : t.showAllDetails({ count: details.length }),
              onPress: () => setWhole(!whole),
            }
      }
    >
      <dl className="rp-details">
        {(whole ? details : details.slice(0, SHOWN)).map(({ key, label, value }) => (
          <div key={key}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}
