/** The output of `ship up` when it is ready. */
import { DEFAULT_DATA_FOLDER } from '../paths.ts';

export interface Ready {
  /** The web app's URL. */
  url: string;
  /** The URL with a sign-in code; undefined when the output goes to a file or a journal. */
  link: string | undefined;
  /** As the user gave it. */
  dataFolder: string;
}

/**
 * The line `ship: ready http://…` is a contract: programs wait for it and parse the URL. Without a link, the next line says how
 * to get one.
 */
export function readyText({ url, link, dataFolder }: Ready): string {
  if (link !== undefined) return `ship: ready ${link}\n`;
  const data = dataFolder === DEFAULT_DATA_FOLDER ? '' : ` --data ${dataFolder}`;
  return `ship: ready ${url}\nship: to sign a browser in, run: npx --no-install ship open${data}\n`;
}
