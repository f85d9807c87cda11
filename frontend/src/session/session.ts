/** Who is logged in. The cookie itself is HttpOnly; the store has the API's view of it. */
import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import { loginCreate, loginDelete, meShow, passwordChange } from '@/api'
import type { Me, PasswordChangeWritable as PasswordChange } from '@/api'

export const useSession = defineStore('session', () => {
  const me = ref<Me>()
  /** False until the API was asked once whether the cookie is still valid. */
  const isKnown = ref(false)

  const username = computed(() => me.value?.username)
  const role = computed(() => me.value?.role)
  const csrfToken = computed(() => me.value?.csrf_token ?? undefined)
  const mustChangePassword = computed(() => me.value?.password_change_required ?? false)
  const hasSecondFactor = computed(() => me.value?.has_second_factor ?? false)
  const mustSetUpSecondFactor = computed(() => me.value?.second_factor_required ?? false)
  const isReady = computed(
    () => me.value !== undefined && !mustChangePassword.value && !mustSetUpSecondFactor.value,
  )

  /** Requests the identity; throws only if the API does not answer at all. */
  async function load(): Promise<void> {
    const { data, response, error } = await meShow()
    if (!data && response?.status !== 401) throw error
    me.value = data
    isKnown.value = true
  }

  /** Throws the API's problem if name and password do not match, or a code is needed or wrong. */
  async function login(username: string, password: string, code?: string): Promise<void> {
    const { data } = await loginCreate({
      body: { username, password, ...(code && { code }) },
      throwOnError: true,
    })
    me.value = data
    isKnown.value = true
  }

  /** Throws the API's problem if the current password or the code is wrong, or the new password too weak. */
  async function changePassword(body: PasswordChange): Promise<void> {
    await passwordChange({ body, throwOnError: true })
    await load()
  }

  async function logout(): Promise<void> {
    await loginDelete()
    forget()
  }

  function forget(): void {
    me.value = undefined
    isKnown.value = true
  }

  return {
    username,
    role,
    csrfToken,
    mustChangePassword,
    hasSecondFactor,
    mustSetUpSecondFactor,
    isReady,
    isKnown,
    load,
    login,
    changePassword,
    logout,
    forget,
  }
})
