/** Logins, users and tokens. */
import { bound, find, page, shown } from '../answers'
import type { Handlers } from '../operation'
import * as people from '../people'
import * as secondFactor from '../secondFactor'

export const PEOPLE = {
  loginCreate: ({ world, body }) => people.login(world, body),
  loginDelete: ({ world }) => people.logout(world),
  meShow: ({ world }) => secondFactor.meOf(world),
  passwordChange: ({ world, body }) => people.changePassword(world, body),
  secondFactorStart: ({ world, body }) => secondFactor.offerFactor(world, body),
  secondFactorConfirm: ({ world, body }) => secondFactor.confirmFactor(world, body),
  secondFactorRenewCodes: ({ world, body }) => secondFactor.renewCodes(world, body),
  secondFactorRemove: ({ world, body }) => secondFactor.removeFactor(world, body),
  loginList: ({ world, query }) => page(world.logins, query),
  loginEnd: ({ world, path }) => people.endLogin(world, find(world.logins, path.login)),
  userList: ({ world, query }) => page(world.users, query),
  userCreate: ({ world, body }) => people.createUser(world, body),
  userShow: ({ world, path }) => shown(find(world.users, path.user)),
  userPatch: ({ world, path, body, request }) =>
    people.patchUser(world, bound(world.users, path.user, request), body),
  userDelete: ({ world, path, request }) => people.deleteUser(world, bound(world.users, path.user, request)),
  tokenList: ({ world, query }) => page(world.tokens, query),
  tokenCreate: ({ world, body }) => people.createToken(world, body),
  tokenShow: ({ world, path }) => shown(find(world.tokens, path.token)),
  tokenDelete: ({ world, path, request }) =>
    people.deleteToken(world, bound(world.tokens, path.token, request)),
} satisfies Partial<Handlers>
