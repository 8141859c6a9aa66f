// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a step says of itself.
#include "sim/exec/step.h"

gboolean
smb_transfer_has_result(const Transfer *transfer) {
  if (transfer->move.atomic == ATOMIC_CAS)
    return TRUE;
  for (guint c = 0; c < transfer->n_components; c++) {
    if (transfer->data[c] != NO_ROW)
      return TRUE;
  }
  return FALSE;
}

gboolean
smb_atomic_is_commutative(const Move *move) {
  return move->atomic != ATOMIC_EXCHANGE && move->atomic != ATOMIC_CAS &&
         move->atomic != ATOMIC_INCREMENT && move->atomic != ATOMIC_DECREMENT &&
         !smb_scalar_is_real(move->kind);
}
