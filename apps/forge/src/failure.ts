/** Why the forge cannot start or register a folder, with what to do about it. */
export class ForgeFailure extends Error {
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.name = 'ForgeFailure';
    this.remedy = remedy;
  }
}
