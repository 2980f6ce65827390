import { Link } from '@tanstack/react-router';
import { useAbility } from '#src/app/session/use-ability.ts';
import { Page } from '#src/app/shell/page.tsx';
import { CopyText } from '#src/ui/copy-text.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { Icon } from '#src/ui/icon.tsx';
import { richText } from '#src/ui/rich-text.tsx';
import { supportMessages as t } from './messages.en.ts';

const FILE = 'daybook-run.mjs';

/** `/monitoring/downloads`: files that the product itself provides. */
export function Downloads() {
  const { origin } = globalThis.location;
  const connects = useAbility('monitoring.sources');
  return (
    <Page title={t.downloadsTitle}>
      <div className="min-h-full bg-sheet px-4 py-5 tablet:px-5">
        <div className="max-w-[760px]">
          <FormSection title={t.wrapper} description={t.wrapperHint}>
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
              label={t.copyDownload}
              copied={t.copied}
            />
            <p className="m-0 text-ink-2">{t.runHint}</p>
            <CopyText
              text={`DAYBOOK_URL='${origin}' DAYBOOK_KEY='your key' node ${FILE} --job 'Nightly' -- your-command`}
              label={t.copyRun}
              copied={t.copied}
            />
            <p className="m-0 text-ink-2">
              {t.exitCode}{' '}
              {connects
                ? richText(t.connectHint, {
                    connect: (
                      <Link
                        to="/monitoring/sources"
                        className="text-accent underline underline-offset-2"
                      >
                        {t.connectSource}
                      </Link>
                    ),
                  })
                : t.askForKey}
            </p>
          </FormSection>
        </div>
      </div>
    </Page>
  );
}
