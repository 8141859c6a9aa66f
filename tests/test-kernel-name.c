// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Names of kernels as ncu writes them, beside what nvcc called them.
#include <check.h>

#include "sim/measured/kernel-name.h"
#include "tests/suite.h"

static const struct {
  const char *measured, *symbol;
  SmbNameMatch match;
} cases[] = {
    {"cname", "cname", SMB_NAME_SAME},
    {"_Z4overPfi", "_Z4overPfi", SMB_NAME_SAME},
    {"_Z4overPfi", "_Z4overPd", SMB_NAME_OTHER},
    {"over(float *, int)", "_Z4overPfi", SMB_NAME_SAME},
    {"over(float *, int) ", "_Z4overPfi", SMB_NAME_SAME},
    {"over", "_Z4overPfi", SMB_NAME_SAME},
    {"void kern<(int)8, float>(T2 *)", "_Z4kernILi8EfEvPT0_", SMB_NAME_SAME},
    {"void kern<(int)128, float>(T2 *)", "_Z4kernILi8EfEvPT0_", SMB_NAME_OTHER},
    {"kern", "_Z4kernILi8EfEvPT0_", SMB_NAME_BASE},
    {"ker", "_Z4kernILi8EfEvPT0_", SMB_NAME_OTHER},
    {"sf", "_ZN3lib2sfIfLi4EEENSt9enable_ifIXleT0_Li4EEvE4typeEPT_", SMB_NAME_BASE},
    {"void three<float, (int)8, (bool)1>(T1 *, const T1 *)", "_Z5threeIfLi8ELb1EEvPT_PKS0_",
     SMB_NAME_SAME},
    {"void three<float, (int)8, (bool)0>(T1 *, const T1 *)", "_Z5threeIfLi8ELb1EEvPT_PKS0_",
     SMB_NAME_OTHER},
    {"void lib::<unnamed>::anon<float, (int)8>(T1 *)",
     "_ZN3lib37_GLOBAL__N__5728df2a_8_names_cu_cname4anonIfLi8EEEvPT_", SMB_NAME_SAME},
    {"void lib::en<(lib::M)1>(float *)", "_ZN3lib2enILNS_1ME1EEEvPf", SMB_NAME_SAME},
    {"void lib::fold<go(float *)::[lambda(float) (instance 1)]>(float *, T1)",
     "_ZN3lib4foldIZ2goPfEUlfE_EEvS1_T_", SMB_NAME_SAME},
    {"void lib::fold<go(float *)::[lambda(float) (instance 2)]>(float *, T1)",
     "_ZN3lib4foldIZ2goPfEUlfE_EEvS1_T_", SMB_NAME_OTHER},
    {"void lib::fold<go(float *)::[lambda(float) (instance 2)]>(float *, T1)",
     "_ZN3lib4foldIZ2goPfEUlfE0_EEvS1_T_", SMB_NAME_SAME},
    {"void fwd<go(float *)::[lambda(T1) (instance 1)]>(float *, T1)",
     "_Z3fwdIZ2goPfEUlT_E_EvS0_S1_", SMB_NAME_SAME},
    {"std::enable_if<T2<=(int)4, void>::type lib::sf<float, (int)4>(T1 *)",
     "_ZN3lib2sfIfLi4EEENSt9enable_ifIXleT0_Li4EEvE4typeEPT_", SMB_NAME_SAME},
    {"std::enable_if<(T2>(int)4), void>::type lib::sf<float, (int)8>(T1 *)",
     "_ZN3lib2sfIfLi8EEENSt9enable_ifIXgtT0_Li4EEvE4typeEPT_", SMB_NAME_SAME},
    {"std::enable_if<(T2>(int)4), void>::type lib::sf<float, (int)8>(T1 *)",
     "_ZN3lib2sfIfLi4EEENSt9enable_ifIXleT0_Li4EEvE4typeEPT_", SMB_NAME_OTHER},
    {"std::enable_if<sizeof(T1)==(int)4, void>::type trail2<float>(T1 *)",
     "_Z6trail2IfENSt9enable_ifIXeqstT_Li4EEvE4typeEPS1_", SMB_NAME_SAME},
    {"void expr<(int)3>(float (*)[(T1 + (int)1)], float *)", "_Z4exprILi3EEvPAplT_Li1E_fPf",
     SMB_NAME_SAME},
    {"void ftype<float (*)(float)>(float *, T1)", "_Z5ftypeIPFffEEvPfT_", SMB_NAME_SAME},
    {"void gp<(const int *)0>(float *)", "_Z2gpILPKi0EEvPf", SMB_NAME_SAME},
    {"void fptr<&times<(int)3>>(float *)", "_Z4fptrIXadL_Z5timesILi3EEffEEEvPf", SMB_NAME_SAME},
    {"void fptr<&twice(float)>(float *)", "_Z4fptrIXadL_Z5twicefEEEvPf", SMB_NAME_SAME},
    {"void fptr<&twice>(float *)", "_Z4fptrIXadL_Z5twicefEEEvPf", SMB_NAME_SAME},
    {"void fptr<&twice>(float *)", "_Z4fptrIXadL_Z5timesILi3EEffEEEvPf", SMB_NAME_OTHER},
    {"void ints<(unsigned int)4294967295, (long long)-5, (short)-1, (unsigned char)200>(float *)",
     "_Z4intsILj4294967295ELxn5ELsn1ELh200EEvPf", SMB_NAME_SAME},
    {"void neg<std::array<char *, (unsigned long)3>, (int)-4>(float *, T1)",
     "_Z3negISt5arrayIPcLm3EELin4EEvPfT_", SMB_NAME_SAME},
    {"void lit<(unsigned long)4, (char)65>(float *)", "_Z3litILm4ELc65EEvPf", SMB_NAME_SAME},
    {"", "_Z4overPfi", SMB_NAME_OTHER},
    {")", "_Z4overPfi", SMB_NAME_OTHER},
    {">", "_Z4overPfi", SMB_NAME_OTHER},
};

START_TEST(test_names) {
  ck_assert_msg(smb_kernel_name_compare(cases[_i].measured, cases[_i].symbol) == cases[_i].match,
                "'%s' beside '%s'", cases[_i].measured, cases[_i].symbol);
}
END_TEST

Suite *
suite_kernel_name(void) {
  Suite *suite = suite_create("kernel-name");
  TCase *names = tcase_create("names");
  tcase_add_loop_test(names, test_names, 0, (int)G_N_ELEMENTS(cases));
  suite_add_tcase(suite, names);
  return suite;
}
