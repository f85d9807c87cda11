/** The two functions of js-yaml that are used; the package brings no types. */
declare module 'js-yaml' {
  export function load(text: string): unknown
  export function dump(
    value: unknown,
    options?: { lineWidth?: number; noRefs?: boolean; flowLevel?: number; skipInvalid?: boolean },
  ): string
}
