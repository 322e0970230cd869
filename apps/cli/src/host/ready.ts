/** What `ship up` prints when it is ready. */
import { DEFAULT_DATA_FOLDER } from '../where.ts';

export interface Ready {
  /** The address of the web app. */
  url: string;
  /** The same with the code that signs one browser in; undefined where it would be printed into a file or a journal. */
  link: string | undefined;
  /** As the user gave it. */
  dataFolder: string;
}

/**
 * The line `ship: ready http://…` is a contract: programs wait for it and take the address from it. Without a link the next line
 * says how to get one.
 */
export function readyText({ url, link, dataFolder }: Ready): string {
  if (link !== undefined) return `ship: ready ${link}\n`;
  const data = dataFolder === DEFAULT_DATA_FOLDER ? '' : ` --data ${dataFolder}`;
  return `ship: ready ${url}\nship: to sign a browser in, run: npx --no-install ship open${data}\n`;
}
