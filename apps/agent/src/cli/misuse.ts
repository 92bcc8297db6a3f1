/** The command was given something that it cannot use. Its message tells what would do. */
export class Misuse extends Error {
  override readonly name = 'Misuse'
}
