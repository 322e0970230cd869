import type { Token, Tokens } from 'marked';
import { Fragment, memo, useState } from 'react';
import type { ReactNode } from 'react';
import { CodeBlock } from './code-block.tsx';
import { growingLexer } from './growing-lexer.ts';
import { safeHref } from './safe-href.ts';

/**
 * Renders Markdown as elements, never as HTML: text of an agent, or of a page that it read, must not run. Tags are shown
 * literally; images become links, because the page loads nothing from other sites.
 */
export default function Rendered({ text }: { readonly text: string }) {
  const [read] = useState(growingLexer);
  return <>{read(text).map((token, index) => block(token, index))}</>;
}

/** Unchanged blocks are not rendered again: a streaming answer changes only its last one. */
const Block = memo(
  ({ token }: { readonly token: Token }) => renderBlock(token),
  (before, after) => before.token.raw === after.token.raw,
);
const block = (token: Token, key: number) => <Block key={key} token={token} />;
const blocks = (tokens: readonly Token[] | undefined) => tokens?.map(block);

function renderBlock(token: Token): ReactNode {
  switch (token.type) {
    case 'space':
      return null;
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading;
      const size = depth <= 2 ? 'text-lg' : 'text-base';
      // Always one level below the prompt's heading: agents skip heading levels, which confuses screen reader navigation.
      return (
        <p role="heading" aria-level={3} className={`mt-4 mb-1 font-semibold first:mt-0 ${size}`}>
          {inline(tokens)}
        </p>
      );
    }
    case 'paragraph':
      return (
        <p className="my-2 first:mt-0 last:mb-0">{inline((token as Tokens.Paragraph).tokens)}</p>
      );
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      return tokens === undefined ? text : inline(tokens);
    }
    case 'code': {
      const { text, lang } = token as Tokens.Code;
      return <CodeBlock text={text} language={lang ?? ''} />;
    }
    case 'blockquote':
      return (
        <blockquote className="my-2 border-l-2 border-line-strong pl-3 text-muted">
          {blocks((token as Tokens.Blockquote).tokens)}
        </blockquote>
      );
    case 'list':
      return list(token as Tokens.List);
    case 'table':
      return table(token as Tokens.Table);
    case 'hr':
      return <hr className="my-4 border-line" />;
    case 'html':
      return <p className="my-2 font-mono text-sm whitespace-pre-wrap">{token.raw}</p>;
    default:
      return <p className="my-2 whitespace-pre-wrap">{token.raw}</p>;
  }
}

/** As with blocks, only the last item of a growing list is new. */
const Item = memo(
  ({ item }: { readonly item: Tokens.ListItem }) => (
    <li className="my-0.5 [&>p]:my-1">
      {item.task && (
        <input
          type="checkbox"
          readOnly
          disabled
          checked={item.checked === true}
          aria-label={item.checked === true ? 'done' : 'to do'}
          className="mr-1.5 align-[-1px]"
        />
      )}
      {blocks(item.tokens)}
    </li>
  ),
  (before, after) => before.item.raw === after.item.raw,
);

function list({ ordered, start, items }: Tokens.List): ReactNode {
  const children = items.map((item, index) => <Item key={index} item={item} />);
  return ordered ? (
    <ol start={start === '' ? 1 : start} className="my-2 list-decimal pl-6">
      {children}
    </ol>
  ) : (
    <ul className="my-2 list-disc pl-5">{children}</ul>
  );
}

const cells = (row: readonly Tokens.TableCell[], Cell: 'th' | 'td') =>
  row.map(({ tokens }, index) => (
    <Cell key={index} className="border border-line px-2 py-1 text-left">
      {inline(tokens)}
    </Cell>
  ));

function table({ header, rows }: Tokens.Table): ReactNode {
  return (
    <div className="my-2 overflow-x-auto">
      <table className="border-collapse text-sm">
        <thead>
          <tr>{cells(header, 'th')}</tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const inline = (tokens: readonly Token[] | undefined): ReactNode =>
  tokens?.map((token, index) => <Fragment key={index}>{renderInline(token)}</Fragment>);

function renderInline(token: Token): ReactNode {
  switch (token.type) {
    case 'text':
    case 'escape': {
      const { tokens, text } = token as Tokens.Text;
      return tokens === undefined ? text : inline(tokens);
    }
    case 'strong':
      return <strong className="font-semibold">{inline((token as Tokens.Strong).tokens)}</strong>;
    case 'em':
      return <em>{inline((token as Tokens.Em).tokens)}</em>;
    case 'del':
      return <del>{inline((token as Tokens.Del).tokens)}</del>;
    case 'codespan':
      return (
        <code className="rounded bg-hover px-1 py-px font-mono text-[0.92em]">
          {(token as Tokens.Codespan).text}
        </code>
      );
    case 'br':
      return <br />;
    case 'link':
      return link((token as Tokens.Link).href, inline((token as Tokens.Link).tokens));
    case 'image':
      return link((token as Tokens.Image).href, (token as Tokens.Image).text || 'picture');
    default:
      return token.raw;
  }
}

function link(href: string, children: ReactNode): ReactNode {
  const safe = safeHref(href);
  return safe === undefined ? (
    children
  ) : (
    <a
      href={safe}
      target="_blank"
      rel="noreferrer noopener"
      className="text-accent underline underline-offset-2"
    >
      {children}
    </a>
  );
}
