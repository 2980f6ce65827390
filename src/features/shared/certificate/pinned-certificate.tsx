import { LIMITS } from '#contract/limits.ts';
import { Button } from '#src/ui/button.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { certificateMessages as t } from './messages.en.ts';

/** The one certificate that a connection trusts, if there is one. */
export function PinnedCertificate({
  certificate,
  error,
  onChange,
}: {
  readonly certificate: string;
  readonly error: string | null;
  readonly onChange: (certificate: string) => void;
}) {
  if (certificate === '' && error === null) return null;
  return (
    <>
      <TextArea
        label={t.pinned}
        mono
        value={certificate}
        rows={4}
        maxLength={LIMITS.certificateChars}
        error={error}
        onChange={({ target }) => onChange(target.value)}
      />
      <div>
        <Button size="sm" variant="quiet" className="-ml-2" onClick={() => onChange('')}>
          {t.trustPublic}
        </Button>
      </div>
    </>
  );
}
