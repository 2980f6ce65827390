import { Link } from '@tanstack/react-router';
import { Icon } from '#src/ui/icon.tsx';
import { accountMessages as t } from '../messages.en.ts';

/** Link back to the sign-in page. */
export function ToSignIn() {
  return (
    <div className="border-t border-rule pt-3">
      <Link
        to="/login"
        className="-ml-2 inline-flex h-8 items-center gap-2 rounded-part px-2 text-ink-2 hover:bg-wash hover:text-ink pointer-coarse:min-h-11"
      >
        <Icon name="chevron-left" />
        {t.backToSignIn}
      </Link>
    </div>
  );
}
