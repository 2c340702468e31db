import CExpat
