/** A failed start of the forge, with a remedy. */
export class ForgeFailure extends Error {
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.name = 'ForgeFailure';
    this.remedy = remedy;
  }
}
