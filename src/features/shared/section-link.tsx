import { useRouter } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

/**
 * A link to another address of this site. It is a real link, but navigates without reloading the
 * page.
 */
export function SectionLink({
  href,
  ...rest
}: Omit<ComponentPropsWithRef<'a'>, 'href' | 'onClick'> & { readonly href: string }) {
  const { history } = useRouter();
  return (
    <a
      {...rest}
      href={href}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        history.push(href);
      }}
    >
      {rest.children}
    </a>
  );
}
