/**
 * An icon as nothing but its drawing, for the buttons of rows: a list has hundreds of them, and each UIcon is two
 * components with a state of their own. An icon that is not in the bundle is left to UIcon.
 */
import { buildIcon, getIcon } from '@iconify/vue'
import UIcon from '@nuxt/ui/components/Icon.vue'
import { h } from 'vue'
import type { FunctionalComponent } from 'vue'

interface Drawing {
  attributes: Record<string, string>
  body: string
}

const drawings = new Map<string, Drawing>()

function drawingOf(name: string): Drawing | undefined {
  const known = drawings.get(name)
  if (known) return known
  const icon = getIcon(name.replace(/^i-/, ''))
  if (!icon) return undefined
  const { attributes, body } = buildIcon(icon)
  const made = { attributes: { ...attributes }, body }
  drawings.set(name, made)
  return made
}

export const PlainIcon: FunctionalComponent<{ name: string }> = ({ name }) => {
  const drawing = drawingOf(name)
  if (!drawing) return h(UIcon, { name, 'aria-hidden': 'true' })
  return h('svg', { ...drawing.attributes, 'aria-hidden': 'true', innerHTML: drawing.body })
}
PlainIcon.props = ['name']
