/** The second factor of the mock's administrator. */
import type {
  FactorProofWritable as FactorProof,
  SecondFactorOffer,
  RecoveryCodes,
  FactorConfirm,
  Me,
} from '@/api'
import { json, noContent, problem, refusal } from './answers'
import type { Gone, Shown } from './answers'
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

export function offerFactor(world: World, body: FactorProof): Shown<SecondFactorOffer> | Response {
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
  const address = `otpauth://totp/lunette-rack4:admin?secret=${secret}&issuer=lunette-rack4`
  return proven(world, body) ?? json({ secret, address })
}

export function confirmFactor(world: World, { code }: FactorConfirm): Shown<RecoveryCodes> | Response {
  if (code !== CODE) return refusal('Nothing was changed', [['code', 'is not a code of the new secret']])
  setFactor(world, true)
  return json({ recovery_codes: RECOVERY })
}

export function renewCodes(world: World, body: FactorProof): Shown<RecoveryCodes> | Response {
  return proven(world, body) ?? json({ recovery_codes: RECOVERY })
}

export function removeFactor(world: World, body: FactorProof): Gone | Response {
  const refused = proven(world, body)
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
export const meOf = (world: World): Shown<Me> | Response =>
  world.me
    ? json({
        ...world.me,
        has_second_factor: world.secondFactor,
        second_factor_required: isMissing(world),
      })
    : problem(401, 'Login required', 'No session.')

function setFactor(world: World, isSet: boolean): void {
  world.secondFactor = isSet
}
