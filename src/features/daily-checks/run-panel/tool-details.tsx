import { useState } from 'react';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import type { RunView } from '#contract/runs/query.ts';
import { detailsOf } from './details.ts';
import { Part } from './part.tsx';
import type { Asked } from './use-execution.ts';
import { runPanelMessages as t } from './messages.en.ts';

const SHOWN = 6;

/** What the tool reports in addition to the common fields, if anything. */
export function ToolDetails({ row, asked }: { readonly row: RunView; readonly asked: Asked }) {
  const [isExpanded, setExpanded] = useState(false);
  const details = asked.execution === null ? [] : detailsOf(asked.execution);
  if (details.length === 0) return null;
  return (
    <Part
      title={t.detailsFrom({ source: SOURCE_NAMES[row.source] })}
      more={
        details.length <= SHOWN
          ? null
          : {
              open: isExpanded,
              word: isExpanded ? t.showFewer : t.showAllDetails({ count: details.length }),
              onPress: () => setExpanded(!isExpanded),
            }
      }
    >
      <dl className="rp-details">
        {(isExpanded ? details : details.slice(0, SHOWN)).map(({ key, label, value }) => (
          <div key={key}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}
