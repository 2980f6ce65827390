import { readFileSync } from 'node:fs';
import { parseAst } from 'vite';

/** A text in code that a person would read, and where it is. */
export interface FoundText {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** `template`: with values in it, so that it needs placeholders. */
  readonly kind: 'jsx' | 'attribute' | 'string' | 'template';
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/**
 * Texts of a TypeScript file that belong to a message catalog. What JSX shows is a text wherever it
 * has a letter. A string elsewhere is one if it reads like one: it begins with a capital, or ends
 * like a sentence; lists of classes, keys, addresses and names of events do not.
 */
export function textsIn(file: string, code = readFileSync(file, 'utf8')): FoundText[] {
  const found: FoundText[] = [];
  const add = (node: Node, kind: FoundText['kind'], text: string): void => {
    const line = code.slice(0, node.start).split('\n').length;
    found.push({
      file,
      line,
      text: text.replaceAll(/\s+/g, ' ').trim(),
      start: node.start,
      end: node.end,
      kind,
    });
  };
  visit(parseAst(code, { lang: file.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node, null);
  return found;

  function visit(node: Node, parent: Node | null): void {
    if (
      /^(TS|Import|Export(?:All))/.test(node.type) &&
      !/^TS(As|Satisfies|NonNull)/.test(node.type)
    )
      return;
    if (isForEngineers(node)) return;
    const isText = !file.startsWith('server/') || !isForMachines(node, parent);
    if (node.type === 'JSXText' && LETTER.test(String(node['value'])))
      add(node, 'jsx', String(node['value']));
    else if (node.type === 'JSXAttribute') {
      const name = nameOf(node['name'] as Node);
      if (TECHNICAL.has(name)) return;
      const value = node['value'] as Node | null;
      if (value?.type === 'Literal' && READ.has(name) && LETTER.test(String(value['value'])))
        return add(value, 'attribute', String(value['value']));
    } else if (node.type === 'Literal' && typeof node['value'] === 'string') {
      if (isText && !isKey(node, parent) && readsLikeText(node['value']))
        add(node, 'string', node['value']);
    } else if (node.type === 'TemplateLiteral') {
      const text = (node['quasis'] as { value: { cooked: string } }[])
        .map(({ value }) => value.cooked)
        .join('{}');
      if (isText && !HEADER.test(text) && (readsLikeText(text) || WORDS_BETWEEN.test(text)))
        add(node, 'template', text);
    }
    for (const [field, value] of Object.entries(node)) {
      if (field === 'quasis') continue;
      for (const child of Array.isArray(value) ? value : [value])
        if (child !== null && typeof child === 'object' && 'type' in child)
          visit(child as Node, node);
    }
  }
}

const LETTER = /\p{L}{2}|^\s*\p{Lu}\s*$/u;
/** Begins with a capital, or has words and ends like a sentence. */
const readsLikeText = (text: string): boolean =>
  /^\s*\p{Lu}\p{Ll}*(?:[\s'’.,:!?…]|$)/u.test(text) && !NOT_TEXT.has(text)
    ? /\p{Ll}/u.test(text)
    : /\p{L}+ \p{L}+.*(?:[.!…]|[^$]\?)$/u.test(text);
/** `{} of {}`, `{} days ago`: words beside a value, and no class names. */
const WORDS_BETWEEN = /^(?!.*[-/#&=[\]])(?=.*\{\})(?=.*(?:\{\} \p{Ll}{2,}|\p{Ll}{2,} \{\}))/u;

/** A header of a request. */
const HEADER = /^Authorization: /;

const nameOf = (name: Node): string =>
  name.type === 'JSXNamespacedName' ? 'namespaced' : String(name['name']);

/** Attributes whose value is for the browser or for other code. */
const TECHNICAL = new Set(
  'className,id,key,keycap,type,name,role,variant,tone,icon,href,to,d,viewBox,autoComplete,autoCapitalize,autoCorrect,inputMode,method,rel,target,style,fill,stroke,transform,aria-live,aria-haspopup,aria-current,aria-controls,aria-labelledby,aria-describedby'.split(
    ',',
  ),
);
/** Attributes that are read, seen or heard, however short. */
const READ = new Set(
  'title,label,placeholder,alt,aria-label,aria-description,aria-roledescription,aria-valuetext,hint,detail,says,summary,data-tip,heading,caption'.split(
    ',',
  ),
);
/** Values of the platform that look like words. */
const NOT_TEXT = new Set(
  'Enter,Escape,Tab,Backspace,Delete,Home,End,PageUp,PageDown,ArrowUp,ArrowDown,ArrowLeft,ArrowRight,Space,Control,Meta,Shift,Alt,Accept,Authorization,Success,Warning,Failed,Missed,Anomaly,Error,Running,Date,Map,Set'.split(
    ',',
  ),
);

/**
 * On the server: queries of the database and of other systems, credentials in headers, and words of
 * the API, of tools and of stored rows.
 */
const isForMachines = (node: Node, parent: Node | null): boolean => {
  if (node.type === 'TemplateLiteral') {
    const parts = (node['quasis'] as { value: { cooked: string } }[]).map(
      ({ value }) => value.cooked,
    );
    return (
      (parent?.type === 'TaggedTemplateExpression' && (parent['tag'] as Node)['name'] === 'sql') ||
      MACHINE_TEMPLATE.test(parts.join('{}'))
    );
  }
  return (
    node.type === 'Literal' &&
    (SERVER_VALUES.has(String(node['value']).trimEnd()) ||
      String(node['value']).startsWith('Active in ('))
  );
};
/** SQL, the query languages of QuickBooks and ConnectWise, and the schemes of the Authorization header. */
const MACHINE_TEMPLATE =
  /^\s*(?:select|insert into|update|delete from|from|where|order by|and|create|alter|grant|revoke|set local|Bearer|Basic|oidc) |^Id in \(|^\{\} like "%/;
/**
 * Products, workloads and units of licenses, entities of QuickBooks, prefixes of file names, the
 * names that the specification gives a new portal, and plain answers to requests for no page.
 */
const SERVER_VALUES = new Set(
  'Daybook|Unknown|Jobs|Instances|Computers|Servers|Agents, managed|Agents, monitored|Microsoft 365|Public cloud VMs|File shares|Other|Invoice|Customer|Preferences|Licensing|Invoices|Companies|Users|Events|Resources|Tickets|Portal|Not found'.split(
    '|',
  ),
);

/** What is thrown or logged is for engineers. */
const isForEngineers = (node: Node): boolean =>
  (node.type === 'NewExpression' && String((node['callee'] as Node)['name']).endsWith('Error')) ||
  node.type === 'ThrowStatement' ||
  (node.type === 'CallExpression' && (node['callee'] as Node)['name'] === 'defineMessages');

const isKey = (node: Node, parent: Node | null): boolean =>
  (parent?.type === 'Property' && parent['key'] === node) ||
  parent?.type === 'BinaryExpression' ||
  parent?.type === 'SwitchCase' ||
  (parent?.type === 'MemberExpression' && parent['property'] === node);
