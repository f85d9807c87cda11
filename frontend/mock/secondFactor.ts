/** The second factor of the mock's administrator. */
import type { FactorProofWritable as FactorProof } from '@/api'
import { json, noContent, refusal } from './answers'
import type { World } from './world'

/** What the authenticator app of the mock shows. */
export const CODE = '123456'
const RECOVERY = ['abcd-efgh-jkmn', 'pqrs-tuvw-xyz2', 'hjkm-2345-6789', 'wxyz-abcd-2468']

export function proven(world: World, body: FactorProof): Response | undefined {
  if (body.current_password !== world.password)
    return refusal('Nothing was changed', [['current_password', 'is not the current password']])
  if (world.secondFactor && body.code !== CODE)
    return refusal('Nothing was changed', [
      ['code', 'is incorrect, or was used before; wait for the next one'],
    ])
  return undefined
}

export async function offerFactor(world: World, request: Request): Promise<Response> {
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
  const address = `otpauth://totp/lunette-rack4:admin?secret=${secret}&issuer=lunette-rack4`
  return proven(world, (await request.json()) as FactorProof) ?? json({ secret, address })
}

export async function confirmFactor(world: World, request: Request): Promise<Response> {
  const { code } = (await request.json()) as { code: string }
  if (code !== CODE) return refusal('Nothing was changed', [['code', 'is not a code of the new secret']])
  setFactor(world, true)
  return json({ recovery_codes: RECOVERY })
}

export async function renewCodes(world: World, request: Request): Promise<Response> {
  return proven(world, (await request.json()) as FactorProof) ?? json({ recovery_codes: RECOVERY })
}

export async function removeFactor(world: World, request: Request): Promise<Response> {
  const refused = proven(world, (await request.json()) as FactorProof)
  if (refused) return refused
  setFactor(world, false)
  return noContent()
}

/** What is open to who has none where one is asked for. */
export const BEFORE = new Set([
  '/login',
  '/logout',
  '/me',
  '/password',
  '/second-factor',
  '/second-factor:confirm',
])

export const isMissing = (world: World): boolean =>
  Boolean(world.me) && world.settings.second_factor_required && !world.secondFactor

/** As the API computes it at each request. */
export const meOf = (world: World) =>
  world.me && {
    ...world.me,
    has_second_factor: world.secondFactor,
    second_factor_required: isMissing(world),
  }

function setFactor(world: World, isSet: boolean): void {
  world.secondFactor = isSet
}
