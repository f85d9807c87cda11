/** The used part of js-yaml; the package has no types. */
declare module 'js-yaml' {
  export class YAMLException extends Error {
    reason: string
    mark?: { position: number }
  }
  export function load(text: string): unknown
  export function dump(
    value: unknown,
    options?: {
      lineWidth?: number
      noRefs?: boolean
      flowLevel?: number
      skipInvalid?: boolean
      quotingType?: string
    },
  ): string
}
