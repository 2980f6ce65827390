import { formatList } from '#contract/i18n/list.ts';
import { formatTag, languageTag } from '#contract/i18n/messages.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Ms } from '#contract/ids.ts';
import type { Branding } from '#contract/branding/branding.ts';
import { NOTIFY_CATEGORIES } from '#contract/notifications/notifications.ts';
import type { NotifyCategory } from '#contract/notifications/notifications.ts';
import { toOneLine, getFactLink } from './fact.ts';
import type { NotificationFact } from './fact.ts';
import { notificationMessages as t } from './messages.en.ts';
import { LIGHT, WHITE } from '#contract/branding/palette.ts';

/** Returns `3 jobs failed` in the current language. */
export const factsInWords = (category: NotifyCategory, count: number): string =>
  t[category]({ count });

/**
 * `reviewed`: the number of reviewed problems, which are not listed. `portal`: null if the portal
 * has no address to link to.
 */
export interface Digest {
  readonly facts: readonly NotificationFact[];
  readonly reviewed: number;
  readonly at: Ms;
  readonly timeZone: string;
  readonly portal: string | null;
}
export type DigestLook = Pick<Branding, 'name' | 'accent' | 'sidebar'>;

/**
 * NOTIFY-3: lists only what is broken, with a maximum number of lines per category, each with a
 * link to its view.
 */
export function digestMail(
  { facts, reviewed, at, timeZone, portal }: Digest,
  { name, accent, sidebar }: DigestLook,
): { readonly subject: string; readonly text: string; readonly html: string } {
  const parts = NOTIFY_CATEGORIES.map((category) => ({
    category,
    own: facts.filter((fact) => fact.category === category),
  })).filter(({ own }) => own.length > 0);
  const provider = toOneLine(name);
  const head =
    parts.length === 0
      ? t.allWell
      : formatList(
          parts.map(({ category, own }) => factsInWords(category, own.length)),
          'and',
        );
  const when = new Intl.DateTimeFormat(formatTag(), {
    dateStyle: 'full',
    timeStyle: 'short',
    timeZone,
  }).format(at);
  const rest = [
    ...(parts.length === 0 ? [t.nothing] : []),
    ...(reviewed > 0 ? [t.reviewed({ count: reviewed })] : []),
    t.asOf({ when, timeZone }),
  ];
  const why = t.why({ portal: provider });
  const settings = portal === null ? null : `${portal}/monitoring/notifications`;
  const side = coloured(sidebar, LIGHT.side);
  const link = coloured(accent, LIGHT.accent);
  const a = (to: string, words: string): string =>
    portal === null
      ? escaped(words)
      : `<a href="${escaped(portal + to)}" style="color:${link}">${escaped(words)}</a>`;
  return {
    subject: t.subject({ portal: provider, summary: head }).slice(0, 200),
    text: [
      ...parts.flatMap(({ category, own }) => [
        `${factsInWords(category, own.length)}${portal === null ? '' : `\n${portal}${getFactLink(category, null)}`}`,
        ...own
          .slice(0, LIMITS.digestLines)
          .map((fact) => `- ${fact.line()}${portal === null ? '' : `\n  ${portal}${fact.link}`}`),
        ...more(own.length),
        '',
      ]),
      ...rest,
      '',
      why,
      ...(settings === null ? [] : [t.changeAt({ link: settings })]),
      '',
    ].join('\n'),
    html: [
      `<!doctype html><html lang="${languageTag()}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>`,
      `<body style="margin:0;background:${LIGHT.wash};color:${LIGHT.ink};font:15px/1.5 Arial,Helvetica,sans-serif">`,
      `<table role="presentation" width="100%" cellspacing="0" cellpadding="0"><tr><td align="center" style="padding:16px"><table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="max-width:640px;background:${WHITE}">`,
      `<tr><td style="background:${side};color:${isLight(side) ? LIGHT.ink : WHITE};padding:14px 20px;font-weight:bold">${escaped(provider)}</td></tr><tr><td style="padding:16px 20px">`,
      `<h1 style="font-size:20px;margin:0 0 12px">${escaped(head)}</h1>`,
      ...parts.map(
        ({ category, own }) =>
          `<h2 style="font-size:16px;margin:16px 0 4px">${a(getFactLink(category, null), factsInWords(category, own.length))}</h2><ul style="margin:0;padding-left:20px">${own
            .slice(0, LIMITS.digestLines)
            .map((fact) => `<li style="margin:4px 0">${a(fact.link, fact.line())}</li>`)
            .join('')}</ul>${more(own.length)
            .map((line) => `<p style="margin:4px 0">${escaped(line)}</p>`)
            .join('')}`,
      ),
      ...rest.map((line) => `<p style="margin:12px 0 0">${escaped(line)}</p>`),
      `<p style="margin:16px 0 0;font-size:13px;color:${LIGHT.ink2}">${escaped(why)}${settings === null ? '' : ` ${a('/monitoring/notifications', t.change)}`}</p>`,
      '</td></tr></table></td></tr></table></body></html>',
      '',
    ].join('\n'),
  };
}

const more = (count: number): readonly string[] =>
  count > LIMITS.digestLines ? [t.more({ count: count - LIMITS.digestLines })] : [];
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => ENTITIES[one] ?? one);
const coloured = (said: string | null, usual: string): string =>
  said !== null && /^#[\da-f]{6}$/i.test(said) ? said : usual;

/** Returns whether dark text is more readable on the color, by its relative luminance. */
function isLight(colour: string): boolean {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const one = parseInt(colour.slice(at, at + 2), 16) / 255;
    return one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.4;
}
