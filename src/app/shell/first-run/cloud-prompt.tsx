import { useRouter } from '@tanstack/react-router';
import { useWatch } from '../../worker/worker-client.ts';
import { getCloudStep } from './cloud-step.ts';
import { PROMPT_LINK, PromptBanner } from './prompt-banner.tsx';
import { firstRunMessages as t } from './messages.en.ts';

/** The same for Microsoft 365: the first organization, then its first job (WIZARD-2). */
export function CloudPrompt({ onDismiss }: { readonly onDismiss: () => void }) {
  const { history } = useRouter();
  const status = useWatch('status', EMPTY);
  const organizations = useWatch('organizations', EMPTY);
  const jobs = useWatch('backupJobs', EMPTY);
  if (organizations == null || jobs == null || status?.kind === 'catching-up') return null;
  const step = getCloudStep(organizations, jobs);
  if (step === null) return null;
  const isOrganization = step.kind === 'organization';
  return (
    <PromptBanner
      icon="cloud"
      text={isOrganization ? t.startWithOrganization : t.createFirstJob}
      link={
        <a
          href={step.address}
          className={PROMPT_LINK}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
            event.preventDefault();
            history.push(step.address);
          }}
        >
          {isOrganization ? t.newOrganization : t.newJob}
        </a>
      }
      onDismiss={onDismiss}
    />
  );
}

const EMPTY = {};
