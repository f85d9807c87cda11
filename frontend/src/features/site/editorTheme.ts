/** The editor in the colors of the page: custom properties apply in its shadow root, and follow the theme. */
import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

export const THEME = EditorView.theme({
  '&': { color: 'var(--ui-text)', backgroundColor: 'var(--ui-bg)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--font-mono)',
    lineHeight: '1.55',
    minHeight: '22rem',
    maxHeight: '64dvh',
    overflow: 'auto',
  },
  '.cm-content': { caretColor: 'var(--ui-text-highlighted)', padding: '10px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ui-text-highlighted)' },
  '.cm-placeholder': { color: 'var(--ui-text-muted)' },
  '.cm-gutters': {
    color: 'var(--ui-text-muted)',
    backgroundColor: 'var(--ui-bg-muted)',
    borderRight: '1px solid var(--ui-border)',
  },
  '.cm-activeLine': { backgroundColor: 'color-mix(in oklab, var(--ui-primary) 5%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in oklab, var(--ui-primary) 22%, transparent)',
  },
  '.cm-matchingBracket': { outline: '1px solid var(--ui-border-accented)', backgroundColor: 'transparent' },
  '.cm-foldPlaceholder': {
    color: 'var(--ui-text-muted)',
    backgroundColor: 'var(--ui-bg-elevated)',
    border: '1px solid var(--ui-border)',
  },
  '.cm-tooltip': {
    color: 'var(--ui-text)',
    backgroundColor: 'var(--ui-bg)',
    border: '1px solid var(--ui-border-accented)',
    borderRadius: '6px',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono)', maxHeight: '14em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 10px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    color: 'var(--ui-text-highlighted)',
    backgroundColor: 'color-mix(in oklab, var(--ui-primary) 14%, var(--ui-bg))',
  },
  '.cm-tooltip.cm-completionInfo': {
    fontFamily: 'var(--font-sans)',
    padding: '6px 10px',
    maxWidth: '22rem',
    color: 'var(--ui-text-muted)',
  },
  '.cm-diagnostic': { fontFamily: 'var(--font-sans)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--ui-error)' },
  '&.cm-merge-b .cm-changedLine': {
    backgroundColor: 'color-mix(in oklab, var(--ui-success) 7%, transparent)',
  },
  '&.cm-merge-b .cm-changedText': { background: 'color-mix(in oklab, var(--ui-success) 7%, transparent)' },
  '.cm-deletedChunk': { backgroundColor: 'color-mix(in oklab, var(--ui-error) 7%, transparent)' },
  '.cm-deletedChunk .cm-deletedText': { background: 'color-mix(in oklab, var(--ui-error) 7%, transparent)' },
  '.cm-collapsedLines': {
    color: 'var(--ui-text-muted)',
    background: 'var(--ui-bg-elevated)',
    fontFamily: 'var(--font-sans)',
  },
})

export const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--ui-primary)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--ui-success)' },
  { tag: [tags.comment, tags.meta], color: 'var(--ui-text-muted)', fontStyle: 'italic' },
  {
    tag: [tags.punctuation, tags.separator, tags.bracket, tags.squareBracket],
    color: 'var(--ui-text-muted)',
  },
  { tag: tags.content, color: 'var(--ui-text-highlighted)' },
])
