/** The login, users and API tokens of the mock. */
import type {
  ActiveLogin,
  LoginWritable as Login,
  Me,
  NewToken,
  PasswordChangeWritable as PasswordChange,
  Token,
  TokenCreate,
  User,
  UserCreateWritable,
  UserPatchWritable,
} from '@/api'
import { json, noContent, plan, problem, refusal } from './answers'
import type { Gone, Line, Made, Planned, Shown } from './answers'
import { MADE, freshId } from './made'
import { CODE, proven } from './secondFactor'
import { CSRF } from './world'
import type { World } from './world'

export const user = (username: string, change: Partial<User> = {}): User => ({
  id: `user-${username}`,
  username,
  role: 'viewer',
  password_change_required: false,
  has_second_factor: false,
  created_at: MADE,
  updated_at: MADE,
  ...change,
})

export const token = (name: string, change: Partial<Token> = {}): Token => ({
  id: `token-${name}`,
  name,
  username: 'admin',
  role: 'operator',
  expires_at: null,
  last_used_at: null,
  created_at: MADE,
  ...change,
})

export const activeLogin = (number: number, change: Partial<ActiveLogin> = {}): ActiveLogin => ({
  id: `login-${number}`,
  username: 'admin',
  role: 'administrator',
  address: `192.0.2.${100 + number}`,
  is_own: number === 1,
  created_at: MADE,
  expires_at: MADE,
  ...change,
})

export function login(world: World, { username, password, code }: Login): Shown<Me> | Response {
  if (username !== 'admin' || password !== world.password)
    return problem(401, 'Login required', 'The user name or the password is incorrect.')
  if (world.secondFactor && !code)
    return problem(
      401,
      'A code is needed',
      'The password is right; send it again with code.',
      [],
      'code-required',
    )
  if (world.secondFactor && code !== CODE)
    return problem(401, 'Login required', 'The code is wrong, or was used before.')
  const me: Me = {
    username: 'admin',
    role: 'administrator',
    password_change_required: world.isOneTime,
    has_second_factor: world.secondFactor,
    second_factor_required: world.settings.second_factor_required && !world.secondFactor,
    csrf_token: CSRF,
  }
  world.me = me
  return json(me)
}

export function changePassword(world: World, body: PasswordChange): Gone | Response {
  const refused = proven(world, body)
  if (refused) return refused
  if (body.new_password.length < 12)
    return refusal('The password was not changed', [['new_password', 'give at least 12 characters']])
  world.password = body.new_password
  world.isOneTime = false
  if (!body.keep_tokens) endTokens(world, 'admin')
  if (world.me) world.me = { ...world.me, password_change_required: false }
  return noContent()
}

export function logout(world: World): Gone {
  delete world.me
  return noContent()
}

export function createUser(world: World, body: UserCreateWritable): Planned<Made<User>> | Response {
  if (body.password.length < 12)
    return refusal('Nothing was changed', [['password', 'expected at least 12 characters']])
  if (world.users.some(({ username }) => username === body.username))
    return refusal(`User ${body.username} was not created`, [['username', 'is taken']], 409)
  const fresh = user(body.username, {
    role: body.role ?? 'viewer',
    password_change_required: true,
    has_second_factor: false,
    id: freshId('user'),
  })
  return {
    plan: plan(`Create user ${body.username}`, [['create', 'user', body.username, `role ${fresh.role}`]]),
    apply: () => {
      world.users.push(fresh)
      return json(fresh, 201)
    },
  }
}

function endTokens(world: World, username: string): void {
  world.tokens = world.tokens.filter((one) => one.username !== username)
}

export function patchUser(world: World, row: User, body: UserPatchWritable): Planned<Shown<User>> {
  const ending =
    body.password && !body.keep_tokens ? world.tokens.filter(({ username }) => username === row.username) : []
  return {
    plan: plan(`Change user ${row.username}`, [
      ...(body.role ? [['change', 'user', row.username, `role becomes ${body.role}`] satisfies Line] : []),
      ...(body.password
        ? [['change', 'user', row.username, 'a new password, to be changed at the next login'] satisfies Line]
        : []),
      ...ending.map(
        ({ name }) =>
          ['destroy', 'token', name, `it ends with the password of ${row.username}`] satisfies Line,
      ),
    ]),
    apply: () => {
      if (ending.length) endTokens(world, row.username)
      row.role = body.role ?? row.role
      row.password_change_required ||= Boolean(body.password)
      return json(row)
    },
  }
}

export function deleteUser(world: World, row: User): Planned<Gone> {
  return {
    plan: plan(`Delete user ${row.username}`, [
      ['destroy', 'user', row.username, 'their sessions and tokens end'],
    ]),
    apply: () => {
      world.users = world.users.filter((one) => one !== row)
      return noContent()
    },
  }
}

export function createToken(world: World, body: TokenCreate): Planned<Made<NewToken>> | Response {
  if (world.tokens.some(({ name }) => name === body.name))
    return refusal(`Token ${body.name} was not made`, [['name', 'is taken']], 409)
  const expires = body.expires_days
    ? new Date(Date.now() + body.expires_days * 86_400_000).toISOString()
    : null
  const fresh = token(body.name, {
    id: freshId('token'),
    role: body.role ?? 'administrator',
    expires_at: expires,
  })
  return {
    plan: plan(`Create token ${body.name}`, [['create', 'token', body.name, `role ${fresh.role}`]]),
    apply: () => {
      world.tokens.push(fresh)
      const answer: NewToken = { ...fresh, token: 'lunette_9sXv0Qe1bT7wq2MZk3uYh8RjL5nCfD4a' }
      return json(answer, 201)
    },
  }
}

export function deleteToken(world: World, row: Token): Planned<Gone> {
  return {
    plan: plan(`Delete token ${row.name}`, [['destroy', 'token', row.name, 'it stops working immediately']]),
    apply: () => {
      world.tokens = world.tokens.filter((one) => one !== row)
      return noContent()
    },
  }
}

export function endLogin(world: World, row: ActiveLogin): Planned<Gone> {
  return {
    plan: plan(`End a login of ${row.username}`, [
      ['destroy', 'login', row.username, 'that browser has to log in again'],
    ]),
    apply: () => {
      world.logins = world.logins.filter((one) => one !== row)
      return noContent()
    },
  }
}
