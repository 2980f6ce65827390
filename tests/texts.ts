import { readFileSync } from 'node:fs';
import { parseAst } from 'vite';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';

/** A text in code that a person would read, and where it is. */
export interface FoundText {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /**
   * `template`: with values in it, so that it needs placeholders. `value`: a word of the API that JSX
   * shows as it is. `plural`: two forms of a word.
   */
  readonly kind: 'jsx' | 'attribute' | 'string' | 'template' | 'value' | 'plural';
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
 * like a sentence; lists of classes, keys, addresses and names of events do not. Neither do `job` and
 * `jobs`, but a choice between them is a plural.
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
  const ast = parseAst(code, { lang: file.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node;
  const values = isContract(file) ? valuesIn(ast) : new Set<string>();
  visit(ast, null);
  return found;

  function visit(node: Node, parent: Node | null): void {
    if (
      /^(TS|Import|Export(?:All))/.test(node.type) &&
      !/^TS(As|Satisfies|NonNull)/.test(node.type)
    )
      return;
    if (isForEngineers(node)) return;
    const isText = !file.startsWith('server/') || !isForMachines(node, parent);
    if (describesCall(node, parent, file)) return;
    if (node.type === 'JSXElement' && elementName(node) === 'Kbd') return;
    if (node.type === 'JSXExpressionContainer' && showsValue(node, parent))
      add(node, 'value', code.slice(node.start, node.end));
    if (isPlural(node)) add(node, 'plural', code.slice(node.start, node.end));
    if (node.type === 'JSXText' && LETTER.test(String(node['value'])))
      add(node, 'jsx', String(node['value']));
    else if (node.type === 'JSXAttribute') {
      const name = getName(node['name'] as Node);
      if (TECHNICAL.has(name)) return;
      const value = node['value'] as Node | null;
      if (value?.type === 'Literal' && READ.has(name) && LETTER.test(String(value['value'])))
        return add(value, 'attribute', String(value['value']));
    } else if (node.type === 'Literal' && typeof node['value'] === 'string') {
      if (
        isText &&
        !isKey(node, parent) &&
        !values.has(node['value']) &&
        readsLikeText(node['value'])
      )
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

/** Returns every string of a file that has several words, with `{}` for the values in it. */
export function phrasesIn(file: string, code = readFileSync(file, 'utf8')): string[] {
  const phrases: string[] = [];
  const visit = (node: Node): void => {
    if (node.type === 'Literal' && typeof node['value'] === 'string') phrases.push(node['value']);
    if (node.type === 'TemplateLiteral')
      phrases.push(
        (node['quasis'] as { value: { cooked: string } }[])
          .map(({ value }) => value.cooked)
          .join('{}'),
      );
    for (const field of Object.values(node))
      for (const child of Array.isArray(field) ? field : [field])
        if (child !== null && typeof child === 'object' && 'type' in child) visit(child as Node);
  };
  visit(parseAst(code, { lang: 'ts' }) as unknown as Node);
  return phrases.filter((phrase) => /\p{L}{2}.* .*\p{L}{2}/su.test(phrase));
}

/**
 * Texts that a module copies from a catalog while it is loaded, and what is copied. A language that
 * is set later doesn't reach them.
 */
export function copiedTexts(file: string, code = readFileSync(file, 'utf8')): string[] {
  const ast = parseAst(code, { lang: file.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node;
  const catalogs = new Set(
    (ast['body'] as Node[])
      .filter(
        (node) =>
          node.type === 'ImportDeclaration' &&
          /messages(?:\.en)?\.ts$/.test(String((node['source'] as Node)['value'])),
      )
      .flatMap((node) =>
        (node['specifiers'] as Node[])
          .map((one) => String((one['local'] as Node)['name']))
          .filter((name) => name !== 'ENGLISH'),
      ),
  );
  const copied: string[] = [];
  const visit = (node: Node): void => {
    if (/Function|^TS(?!As|Satisfies|NonNull)/.test(node.type)) return;
    const object = node['object'] as Node | undefined;
    if (node.type === 'MemberExpression' && catalogs.has(String(object?.['name'])))
      copied.push(code.slice(node.start, node.end));
    for (const field of Object.values(node))
      for (const child of Array.isArray(field) ? field : [field])
        if (child !== null && typeof child === 'object' && 'type' in child) visit(child as Node);
  };
  visit(ast);
  return copied;
}

/**
 * Whether JSX shows a field whose values are words of the API, such as `{line.unit}`. People read its
 * label, which a catalog has. In `<code>`, it is the value that is meant.
 */
function showsValue(node: Node, parent: Node | null): boolean {
  if (parent?.type !== 'JSXElement' || elementName(parent) === 'code') return false;
  const shown = node['expression'] as Node;
  if (shown.type === 'Identifier') return API_WORDS.has(getName(shown));
  const object = shown['object'] as Node | undefined;
  return (
    shown.type === 'MemberExpression' &&
    shown['computed'] !== true &&
    !isCatalog(object) &&
    API_WORDS.has(getName(shown['property'] as Node))
  );
}
const API_WORDS = new Set('category,kind,role,state,status,unit,workload'.split(','));
const isCatalog = (object: Node | undefined): boolean =>
  object?.type === 'Identifier' && /^(?:t|ui)$/.test(getName(object));

/** `n === 1 ? 'job' : 'jobs'`: each language has its own plurals. */
function isPlural(node: Node): boolean {
  if (node.type !== 'ConditionalExpression') return false;
  const [one, other] = ['consequent', 'alternate'].map((branch) => {
    const value = (node[branch] as Node)['value'];
    return typeof value === 'string' && /^\p{Ll}{2,}$/u.test(value) ? value : null;
  });
  return (
    typeof one === 'string' &&
    typeof other === 'string' &&
    (other === `${one}s` || one === `${other}s`)
  );
}

/** Formats with a fixed language, such as `new Intl.NumberFormat('en-US')`. */
export const fixedFormats = (code: string): readonly string[] =>
  Array.from(
    code.matchAll(
      /(?:Intl\.(?:DateTime|DisplayNames|Duration|List|Number|RelativeTime)(?:Format)?|PluralRules|\.toLocale(?:Date|Time)?String)\(\s*(?:['"`][a-z]|undefined\b|\)(?!\.resolvedOptions))|\.toFixed\(/g,
    ),
    ([found]) => found,
  );
/** Lists that are joined by commas: each language has its own. */
export const joinedLists = (code: string): readonly string[] =>
  Array.from(code.matchAll(/\.join\(\s*['"`](?:, | and | or )['"`]\s*\)/g), ([found]) => found);

const LETTER = /\p{L}{2}|^\s*\p{Lu}\s*$/u;
/**
 * Begins with a capital, has words after a name such as QuickBooks or SMS, or has words and ends like a
 * sentence.
 */
const readsLikeText = (text: string): boolean =>
  !PATTERN.test(text) &&
  (/^\d+ \p{Ll}{2,}$/u.test(text) ||
  (/^\p{Lu}[\p{L}\d-]+,?(?: \p{L}+)* \p{Ll}{2,}(?![\p{L}(]| [(:])/u.test(text) &&
    !PRODUCTS.has(text)) ||
  (/^\s*\p{Lu}\p{Ll}*(?:[\s'’.,:!?…]|$)/u.test(text) && !NOT_TEXT.has(text) && !PRODUCTS.has(text))
    ? /\p{Ll}/u.test(text)
    : /\p{L}+ \p{L}+.*(?:[.!…]|[^$]\?)$/u.test(text));
/** A group of a regular expression. */
const PATTERN = /\(\?[:=!<]/;
/** `{} of {}`, `{} days ago`: words beside a value, and no class names. */
const WORDS_BETWEEN =
  /^(?!.*[-/#&=[\]])(?=.*\{\})(?=.*(?:\{\},? (?:a )?\p{Ll}{2,}|\p{Ll}{2,} \{\}))/u;

/** A header of a request. */
const HEADER = /^(?:Authorization: |Bearer )/;

/** The label of a key, such as Esc, is what the keyboard has on it. */
const elementName = (node: Node): unknown =>
  ((node['openingElement'] as Node)['name'] as Node)['name'];

const getName = (name: Node): string =>
  name.type === 'JSXNamespacedName' ? 'namespaced' : String(name['name']);

/** Attributes whose value is for the browser or for other code. */
const TECHNICAL = new Set(
  'className,id,key,keycap,type,role,variant,tone,icon,href,to,d,viewBox,autoComplete,autoCapitalize,autoCorrect,inputMode,method,rel,target,style,fill,stroke,transform,aria-live,aria-haspopup,aria-current,aria-controls,aria-labelledby,aria-describedby'.split(
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
  'Enter,Escape,Tab,Backspace,Delete,Home,End,PageUp,PageDown,Arrow,ArrowUp,ArrowDown,ArrowLeft,ArrowRight,Space,Control,Meta,Shift,Alt,Accept,Authorization,Success,Warning,Failed,Missed,Anomaly,Error,Running,Date,Map,Set'.split(
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
      (parent?.type === 'TaggedTemplateExpression' &&
        ['sql', 'raw'].includes(String((parent['tag'] as Node)['name']))) ||
      MACHINE_TEMPLATE.test(parts.join('{}'))
    );
  }
  return (
    node.type === 'Literal' &&
    (SERVER_VALUES.has(String(node['value']).trimEnd()) ||
      MACHINE_VALUE.test(String(node['value'])))
  );
};
/**
 * SQL, the query languages of QuickBooks, ConnectWise and Microsoft Graph, the schemes of the
 * Authorization header, and names of queues.
 */
const MACHINE_TEMPLATE =
  /^\s*(?:select|insert into|update|delete from|from|where|order by|and|create|alter|drop policy|grant|revoke|set local|Bearer|Basic|oidc|declare|fetch|notify|with \w+ as) |^Id in \(|^\{\} like "%|^sum\(|^(?:\{\}|0) as \{\}|^\{\} eq '|^\{\},? [\w (]*(?:not null|primary key)|^\{\} on conflict|^(?:address|group|key|pool|provider|proxy|user) \{\}$/;
/** A condition of ConnectWise, a permission or a property of Microsoft Graph. */
const MACHINE_VALUE = /^Active in \(|^[A-Z]\w+(?:\.[A-Z]\w+)+$|^Integer 0x/;
/**
 * Products and units of licenses, entities of QuickBooks, entities and actions of a Veeam
 * server, columns of SharePoint, prefixes of file names, the
 * names that the specification gives a new portal, and plain answers to requests for no page.
 */
const SERVER_VALUES = new Set(
  'Daybook|Unknown|Jobs|Organizations|Instances|Computers|Other|Invoice|Employee|Item|Customer|Preferences|Licensing|Invoices|Companies|Users|Events|Resources|Tickets|Portal|Not found|From|Save|Restore|Libraries|Lists|Folders|Documents|Items|Title|Version|Created|Modified|Proxies|Daily|Monthly|Yearly'.split(
    '|',
  ),
);

/** Names of products, which no language translates. */
const PRODUCTS: ReadonlySet<string> = new Set([
  ...Object.values(SOURCE_NAMES),
  'Autotask',
  'Daybook',
  'Veeam Backup for Microsoft 365',
  'Veeam Backup & Replication',
  'Veeam Service Provider Console',
]);

/** What is thrown or logged is for engineers. */
const isForEngineers = (node: Node): boolean =>
  (node.type === 'NewExpression' &&
    /(?:Error|Exception|Fault)$/.test(String((node['callee'] as Node)['name']))) ||
  (node.type === 'TSSatisfiesExpression' && (node['expression'] as Node).type === 'Literal') ||
  node.type === 'ThrowStatement' ||
  (node.type === 'CallExpression' && (node['callee'] as Node).type === 'Super') ||
  (node.type === 'CallExpression' && (node['callee'] as Node)['name'] === 'defineMessages');

/** The reference of the API is for engineers: what a call does, and what its parameters mean. */
function describesCall(node: Node, parent: Node | null, file: string): boolean {
  if (!isContract(file)) return false;
  if (parent?.type === 'Property')
    return parent['value'] === node && DESCRIPTIONS.has(getName(parent['key'] as Node));
  if (parent?.type !== 'CallExpression' || node.type !== 'Literal') return false;
  const callee = parent['callee'] as Node;
  return DESCRIBERS.has(
    callee.type === 'MemberExpression' ? getName(callee['property'] as Node) : getName(callee),
  );
}
const DESCRIPTIONS = new Set(['summary', 'offline']);
const DESCRIBERS = new Set(['description', 'literal', 'inQuery', 'post']);
const isContract = (file: string): boolean => file.startsWith('contract/');

/**
 * The values of the lists `[…] as const`, and of lists in them, in a file of the contract. They are values of the API, such
 * as the states of a run; what people read is in a catalog.
 */
function valuesIn(node: Node): Set<string> {
  const values = new Set<string>();
  const addAll = (list: Node): void => {
    for (const element of list['elements'] as Node[])
      if (typeof element['value'] === 'string') values.add(element['value']);
      else if (element.type === 'ArrayExpression') addAll(element);
  };
  const collect = (one: Node): void => {
    const list = one['expression'] as Node | undefined;
    const isConst =
      one.type === 'TSAsExpression' &&
      String(((one['typeAnnotation'] as Node)['typeName'] as Node | undefined)?.['name']) ===
        'const';
    if (isConst && list?.type === 'ArrayExpression') addAll(list);
    for (const field of Object.values(one))
      for (const child of Array.isArray(field) ? field : [field])
        if (child !== null && typeof child === 'object' && 'type' in child) collect(child as Node);
  };
  collect(node);
  return values;
}

const isKey = (node: Node, parent: Node | null): boolean =>
  (parent?.type === 'Property' && parent['key'] === node) ||
  parent?.type === 'BinaryExpression' ||
  parent?.type === 'SwitchCase' ||
  (parent?.type === 'MemberExpression' && parent['property'] === node);
