import { Link } from '@tanstack/react-router';
import { useAbility } from '#src/app/session/use-ability.ts';
import { Page } from '#src/app/shell/page.tsx';
import { CopyText } from '#src/ui/copy-text.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { Icon } from '#src/ui/icon.tsx';

const FILE = 'daybook-run.mjs';

/** `/monitoring/downloads`: what the product itself gives to take along. */
export function Downloads() {
  const { origin } = globalThis.location;
  const connects = useAbility('monitoring.sources');
  return (
    <Page title="Downloads">
      <div className="min-h-full bg-sheet px-4 py-5 tablet:px-5">
        <div className="max-w-[760px]">
          <FormSection
            title="Wrapper for any command"
            says="Runs a backup command and reports its start, its end, its code and the end of its output. For Node 20 and newer, one file, no packages."
          >
            <p className="m-0">
              <a
                className="inline-flex min-h-8 items-center gap-2 text-accent underline underline-offset-2 pointer-coarse:min-h-11"
                href={`/${FILE}`}
                download={FILE}
              >
                <Icon name="download" />
                {FILE}
              </a>
            </p>
            <CopyText
              text={`curl -fsSO ${origin}/${FILE}`}
              label="Copy the line that fetches it"
              copied="Line copied"
            />
            <p className="m-0 text-ink-2">Then run your command behind it:</p>
            <CopyText
              text={`DAYBOOK_URL='${origin}' DAYBOOK_KEY='your key' node ${FILE} --job 'Nightly' -- your-command`}
              label="Copy the line that runs it"
              copied="Line copied"
            />
            <p className="m-0 text-ink-2">
              It ends with the code of your command.{' '}
              {connects ? (
                <>
                  <Link
                    to="/monitoring/sources"
                    className="text-accent underline underline-offset-2"
                  >
                    Connect a source
                  </Link>{' '}
                  makes the key, and has lines for restic, Borg, rclone and others.
                </>
              ) : (
                'Somebody who connects sources makes the key.'
              )}
            </p>
          </FormSection>
        </div>
      </div>
    </Page>
  );
}
